Markdown(f"Between the plans lie **{spread}**")
