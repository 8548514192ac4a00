Markdown(f"The order comes to **{total:.2f}**.")
