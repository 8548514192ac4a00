# @output_dir pages
for number in range(3):
    (pages / f"page{number}.txt").write_text(f"This is page {number}\n" * (number + 1))
