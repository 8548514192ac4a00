# @loop max_iter=50 carry=state
# @loop_until abs(state["x"] - 3) < 0.01
slope = 2 * (state["x"] - 3)
state = {"x": state["x"] - 0.2 * slope, "step": state["step"] + 1}
