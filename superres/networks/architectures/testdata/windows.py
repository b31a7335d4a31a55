"""SwinIR, HAT and DAT, small, for make.py beside it."""

import torch
import torch.nn.functional as F
from torch import nn


def distances(height, width, large=0):
    """The index of the distance of each pair of pixels of a window, or of one and a larger window, in a table."""
    def pixels(h, w):
        return torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")).flatten(1)
    if large:
        apart = pixels(large, large)[:, None, :] - pixels(height, width)[:, :, None] + height - large + 1
        return apart[0] * (height + large - 1) + apart[1]
    apart = pixels(height, width)[:, :, None] - pixels(height, width)[:, None, :]
    return (apart[0] + height - 1) * (2 * width - 1) + apart[1] + width - 1


def divide(x, h, w):
    """Windows of h×w pixels of 1×height×width×channels: one after another, pixels × channels."""
    _, height, width, c = x.shape
    return x.view(height // h, h, width // w, w, c).permute(0, 2, 1, 3, 4).reshape(-1, h * w, c)


def join(x, h, w, height, width):
    return x.view(height // h, width // w, h, w, -1).permute(0, 2, 1, 3, 4).reshape(1, height, width, -1)


def mask(height, width, h, w):
    """What keeps pixels apart that were no neighbours before the picture was moved by half a window."""
    number, count = torch.zeros(1, height, width, 1), 0
    for rows in slice(0, -h), slice(-h, -(h // 2)), slice(-(h // 2), None):
        for columns in slice(0, -w), slice(-w, -(w // 2)), slice(-(w // 2), None):
            number[:, rows, columns] = count
            count += 1
    number = divide(number, h, w).squeeze(2)
    return torch.where(number[:, None, :] == number[:, :, None], 0.0, -100.0)


def attend(q, k, v, heads, bias, apart=None):
    """Attention of windows of pixels × channels each."""
    def split(x):
        return x.view(*x.shape[:2], heads, -1).transpose(1, 2)
    q, k, v = split(q), split(k), split(v)
    scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5 + bias
    if apart is not None:
        scores = scores + apart[:, None]
    return (scores.softmax(3) @ v).transpose(1, 2).flatten(2)


class MLP(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(features, 2 * features), nn.Linear(2 * features, features)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Channels(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(features, 2, 1), nn.ReLU(), nn.Conv2d(2, features, 1), nn.Sigmoid()
        )

    def forward(self, x):
        return x * self.attention(x)


class WindowAttention(nn.Module):
    def __init__(self, features, heads, w):
        super().__init__()
        self.heads, self.w = heads, w
        self.relative_position_bias_table = nn.Parameter(torch.randn((2 * w - 1) ** 2, heads))
        self.register_buffer("relative_position_index", distances(w, w))
        self.qkv, self.proj = nn.Linear(features, 3 * features), nn.Linear(features, features)

    def forward(self, x, apart):
        bias = self.relative_position_bias_table[self.relative_position_index].permute(2, 0, 1)
        return self.proj(attend(*self.qkv(x).chunk(3, 2), self.heads, bias, apart))


class SwinLayer(nn.Module):
    def __init__(self, features, heads, w, is_moved, is_hat):
        super().__init__()
        self.w, self.is_moved = w, is_moved
        self.norm1, self.norm2 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.attn, self.mlp = WindowAttention(features, heads, w), MLP(features)
        if is_hat:
            self.conv_block = nn.Module()
            self.conv_block.cab = nn.Sequential(
                nn.Conv2d(features, 2, 3, 1, 1), nn.GELU(), nn.Conv2d(2, features, 3, 1, 1), Channels(features)
            )

    def forward(self, x):
        _, height, width, _ = x.shape
        y, shift = self.norm1(x), self.w // 2 if self.is_moved else 0
        beside = 0
        if hasattr(self, "conv_block"):
            beside = 0.01 * self.conv_block.cab(y.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        apart = mask(height, width, self.w, self.w) if self.is_moved else None
        y = self.attn(divide(y.roll((-shift, -shift), (1, 2)), self.w, self.w), apart)
        x = x + join(y, self.w, self.w, height, width).roll((shift, shift), (1, 2)) + beside
        return x + self.mlp(self.norm2(x))


class Overlapping(nn.Module):
    def __init__(self, features, heads, w):
        super().__init__()
        self.heads, self.w, self.large = heads, w, w + w // 2
        self.norm1, self.norm2, self.mlp = nn.LayerNorm(features), nn.LayerNorm(features), MLP(features)
        self.qkv, self.proj = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.relative_position_bias_table = nn.Parameter(torch.randn((w + self.large - 1) ** 2, heads))

    def forward(self, x):
        _, height, width, features = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, 3)
        unfold = nn.Unfold(self.large, stride=self.w, padding=(self.large - self.w) // 2)
        k, v = (unfold(y.permute(0, 3, 1, 2)).view(features, self.large ** 2, -1).permute(2, 1, 0) for y in (k, v))
        bias = self.relative_position_bias_table[distances(self.w, self.w, self.large)].permute(2, 0, 1)
        y = attend(divide(q, self.w, self.w), k, v, self.heads, bias)
        x = x + self.proj(join(y, self.w, self.w, height, width))
        return x + self.mlp(self.norm2(x))


class SwinGroup(nn.Module):
    def __init__(self, features, heads, w, layers, is_hat):
        super().__init__()
        self.blocks = nn.ModuleList([SwinLayer(features, heads, w, i % 2 == 1, is_hat) for i in range(layers)])
        if is_hat:
            self.overlap_attn = Overlapping(features, heads, w)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.overlap_attn(x) if hasattr(self, "overlap_attn") else x


class Positions(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        def layer(outputs):
            return nn.Sequential(nn.LayerNorm(features), nn.ReLU(), nn.Linear(features, outputs))
        self.pos_proj = nn.Linear(2, features)
        self.pos1, self.pos2, self.pos3 = layer(features), layer(features), layer(heads)

    def forward(self, x):
        return self.pos3(self.pos2(self.pos1(self.pos_proj(x))))


class Branch(nn.Module):
    def __init__(self, heads, h, w):
        super().__init__()
        self.heads, self.h, self.w, self.pos = heads, h, w, Positions(3, heads)
        sides = torch.meshgrid(torch.arange(1.0 - h, h), torch.arange(1.0 - w, w), indexing="ij")
        self.register_buffer("rpe_biases", torch.stack(sides).flatten(1).t().contiguous())
        self.register_buffer("relative_position_index", distances(h, w))

    def forward(self, parts, is_moved):
        _, height, width, _ = parts[0].shape
        shift = (self.h // 2, self.w // 2) if is_moved else (0, 0)
        apart = mask(height, width, self.h, self.w) if is_moved else None
        bias = self.pos(self.rpe_biases)[self.relative_position_index].permute(2, 0, 1)
        windows = [divide(x.roll((-shift[0], -shift[1]), (1, 2)), self.h, self.w) for x in parts]
        return join(attend(*windows, self.heads, bias, apart), self.h, self.w, height, width).roll(shift, (1, 2))


class DualAttention(nn.Module):
    def __init__(self, features, heads, window, is_spatial, is_moved):
        super().__init__()
        self.is_moved = is_moved
        if is_spatial:
            self.attns = nn.ModuleList([Branch(heads // 2, *window), Branch(heads // 2, *window[::-1])])
        else:
            self.temperature = nn.Parameter(torch.rand(heads, 1, 1) + 1)
        self.qkv, self.proj = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.dwconv = nn.Sequential(
            nn.Conv2d(features, features, 3, 1, 1, groups=features), nn.BatchNorm2d(features), nn.GELU()
        )
        self.channel_interaction = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(features, 2, 1), nn.BatchNorm2d(2), nn.GELU(), nn.Conv2d(2, features, 1)
        )
        self.spatial_interaction = nn.Sequential(
            nn.Conv2d(features, 2, 1), nn.BatchNorm2d(2), nn.GELU(), nn.Conv2d(2, 1, 1)
        )

    def forward(self, x):
        _, height, width, features = x.shape
        parts = self.qkv(x).chunk(3, 3)
        beside = self.dwconv(parts[2].permute(0, 3, 1, 2))
        if hasattr(self, "attns"):
            halves = zip(*(x.chunk(2, 3) for x in parts))
            x = torch.cat([attn(half, self.is_moved) for attn, half in zip(self.attns, halves)], 3).permute(0, 3, 1, 2)
            of_x, of_beside = self.spatial_interaction(x), self.channel_interaction(beside)
        else:
            heads = self.temperature.shape[0]
            q, k, v = (x.permute(0, 3, 1, 2).reshape(1, heads, -1, height * width) for x in parts)
            scores = F.normalize(q, dim=3) @ F.normalize(k, dim=3).transpose(2, 3) * self.temperature
            x = (scores.softmax(3) @ v).view(1, features, height, width)
            of_x, of_beside = self.channel_interaction(x), self.spatial_interaction(beside)
        x = x * torch.sigmoid(of_beside) + beside * torch.sigmoid(of_x)
        return self.proj(x.permute(0, 2, 3, 1))


class Gate(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm, self.conv = nn.LayerNorm(features), nn.Conv2d(features, features, 3, 1, 1, groups=features)

    def forward(self, x):
        x, gate = x.chunk(2, 3)
        return x * self.conv(self.norm(gate).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


class GatedMLP(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.fc1, self.sg, self.fc2 = nn.Linear(features, 2 * features), Gate(features), nn.Linear(features, features)

    def forward(self, x):
        return self.fc2(self.sg(F.gelu(self.fc1(x))))


class DualLayer(nn.Module):
    def __init__(self, features, heads, window, group, i):
        super().__init__()
        self.norm1, self.norm2, self.ffn = nn.LayerNorm(features), nn.LayerNorm(features), GatedMLP(features)
        is_moved = i > 0 and (i - 2) % 4 == 0 if group % 2 == 0 else i % 4 == 0
        self.attn = DualAttention(features, heads, window, i % 2 == 0, is_moved)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.ffn(self.norm2(x))


class Group(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv = nn.Conv2d(features, features, 3, 1, 1)

    def forward(self, x):
        y = x
        for block in self.blocks if hasattr(self, "blocks") else [self.residual_group]:
            y = block(y)
        return x + self.conv(y.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


class Transformer(nn.Module):
    """DAT if is_dual, HAT or SwinIR: two groups, enlarged by a pixel shuffle of one convolution."""

    def __init__(self, features, heads, window, depths, scale, is_dual=False, is_hat=False):
        super().__init__()
        self.scale = scale
        self.conv_first = nn.Conv2d(3, features, 3, 1, 1)
        if is_dual:
            self.before_RG = nn.Sequential(nn.Identity(), nn.LayerNorm(features))
        else:
            self.patch_embed = nn.Module()
            self.patch_embed.norm = nn.LayerNorm(features)
        self.layers = nn.ModuleList([Group(features) for _ in depths])
        for group, (layer, depth) in enumerate(zip(self.layers, depths)):
            if is_dual:
                layer.blocks = nn.ModuleList([DualLayer(features, heads, window, group, i) for i in range(depth)])
            else:
                layer.residual_group = SwinGroup(features, heads, window, depth, is_hat)
        self.norm, self.conv_after_body = nn.LayerNorm(features), nn.Conv2d(features, features, 3, 1, 1)
        if is_hat:
            self.conv_before_upsample = nn.Sequential(nn.Conv2d(features, 4, 3, 1, 1), nn.LeakyReLU())
            self.upsample = nn.Sequential(nn.Conv2d(4, 16, 3, 1, 1), nn.PixelShuffle(2))
            self.conv_last = nn.Conv2d(4, 3, 3, 1, 1)
        else:
            self.upsample = nn.Sequential(nn.Conv2d(features, 3 * scale**2, 3, 1, 1), nn.PixelShuffle(scale))

    def forward(self, x):
        mean = torch.tensor([0.4488, 0.4371, 0.4040]).view(1, 3, 1, 1)
        start = self.conv_first(x - mean)
        embed = self.before_RG if hasattr(self, "before_RG") else self.patch_embed.norm
        x = embed(start.permute(0, 2, 3, 1))
        for layer in self.layers:
            x = layer(x)
        x = self.conv_after_body(self.norm(x).permute(0, 3, 1, 2)) + start
        if hasattr(self, "conv_last"):
            return self.conv_last(self.upsample(self.conv_before_upsample(x))) + mean
        return self.upsample(x) + mean


def random_norms(network):
    """Numbers other than 0 and 1 for what networks are not trained from random ones."""
    for module in network.modules():
        if isinstance(module, (nn.LayerNorm, nn.BatchNorm2d)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, 0, 0.2)
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    return network.eval()
