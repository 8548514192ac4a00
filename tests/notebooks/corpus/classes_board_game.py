# %%
import random
random.seed(12)
WIDTH, HEIGHT = 5, 4
board = [["." for _ in range(WIDTH)] for _ in range(HEIGHT)]
players = {}
history = []
# %%
class Player:
    def __init__(self, name, mark):
        self.name, self.mark, self.score = name, mark, 0

    def move(self, r, c):
        board[r][c] = self.mark
        history.append((self.name, r, c))
        self.score += 1

    def __str__(self):
        return f"{self.name}:{self.score}"
# %%
def show():
    print("\n".join("".join(row) for row in board))
# %%
players["ann"] = Player("ann", "X")
players["bob"] = Player("bob", "O")
show()
# %%
players["ann"].move(0, 0)
show()
# %%
players["bob"].move(1, 2)
players["ann"].move(3, 4)
# %%
show()
print(history)
# %%
for p in players.values():
    print(p)
# %%
def free():
    return [(r, c) for r in range(HEIGHT) for c in range(WIDTH) if board[r][c] == "."]


len(free())
# %%
turn = 0
while turn < 4:
    who = list(players.values())[turn % 2]
    who.move(*random.choice(free()))
    turn += 1
show()
# %%
len(free()), len(history), turn
# %%
leader = max(players.values(), key=lambda p: p.score)
print(leader)
# %%
def undo():
    name, r, c = history.pop()
    board[r][c] = "."
    players[name].score -= 1


undo()
# %%
undo()
show()
print([str(p) for p in players.values()])
# %%
board[2] = list("#####")
show()
