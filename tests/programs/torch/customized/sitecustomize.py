mark = "ours"
