f"The line rises by {slope} a step"
