import torch

torch.manual_seed(0)
data = torch.rand(4000, 64)
target = data.sin().sum(1, keepdim=True)
# %%
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
parameters = sum(each.numel() for each in net.parameters())
# %%
optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for step in range(20):
    loss = torch.nn.functional.mse_loss(net(data), target)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
trained = net
# %%
with torch.no_grad():
    error = torch.nn.functional.l1_loss(trained(data), target).item()
# %%
weights = trained[0].weight.detach().clone()
u, s, v = torch.linalg.svd(weights)
rank = int((s > 1e-3).sum())
# %%
from torch.utils.data import DataLoader, TensorDataset

batches = DataLoader(TensorDataset(data, target), batch_size=200)
sizes = [len(batch) for batch, _ in batches]
# %%
descent = torch.optim.SGD(trained.parameters(), lr=0.001)
for batch, wanted in batches:
    loss = torch.nn.functional.mse_loss(trained(batch), wanted)
    descent.zero_grad()
    loss.backward()
    descent.step()
tuned = trained
# %%
images = torch.rand(8, 3, 64, 64)
features = torch.nn.functional.conv2d(images, torch.rand(16, 3, 3, 3)).relu().mean(dim=(2, 3))
# %%
with torch.no_grad():
    final = torch.nn.functional.mse_loss(tuned(data), target).item()
    near = torch.cdist(features, features).mean().item()
# %%
summary = {"first": losses[0], "error": error, "rank": rank, "batches": len(sizes), "parameters": parameters}
summary
