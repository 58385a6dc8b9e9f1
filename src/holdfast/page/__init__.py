"""The page: what the memory knows and does, in a browser on this machine, and the buttons that steer it"""
