def expected(): return {"a": 1}
