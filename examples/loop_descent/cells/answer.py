Markdown(f"Reached {state['x']:.3f} after {state['step']} steps")
