# @name balance
Markdown(f"After {years} years: **{balance:,.0f} {currency}**")
