from warpledger._program import main

main()
