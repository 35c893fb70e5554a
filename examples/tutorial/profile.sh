# bash examples/tutorial/profile.sh KERNEL [MORE OPTIONS]: the launches of docs/tutorial.md.
warpledger profile examples/tutorial/transpose.ptx --kernel "$1" --gpu rtx3090 --regs 24 --no-sass \
    --grid 32,32 --block 32,8 --arg in=f32[1024x1024] --arg out=f32[1024x1024] --arg i32:1024 --no-store "${@:2}"
