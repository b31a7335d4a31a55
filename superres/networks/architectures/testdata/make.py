#!/usr/bin/env python3
"""Writes the files beside it: small networks with random weights as PyTorch saves them, and what they make of a picture.

Needs PyTorch. The architectures are written from their papers; the names of the weights are those of the files that
people have. NAME.safetensors holds "input" and "output" of NAME.pth, each 1×channels×height×width.
"""

import json
import os
import re
import struct

import torch
import torch.nn.functional as F
from torch import nn

from windows import Transformer, random_norms

FOLDER = os.path.dirname(os.path.abspath(__file__))


def conv(inputs, outputs, taps=3):
    return nn.Conv2d(inputs, outputs, taps, 1, taps // 2)


def leaky(x):
    return F.leaky_relu(x, 0.2)


class Compact(nn.Module):
    def __init__(self, features, layers, scale):
        super().__init__()
        self.scale = scale
        chain = [conv(3, features), nn.PReLU(features)]
        for _ in range(layers):
            chain += [conv(features, features), nn.PReLU(features)]
        self.body = nn.Sequential(*chain, conv(features, 3 * scale * scale))

    def forward(self, x):
        return F.pixel_shuffle(self.body(x), self.scale) + F.interpolate(x, scale_factor=self.scale, mode="nearest")


class Dense(nn.Module):
    def __init__(self, features, growth, plus):
        super().__init__()
        for k in range(1, 6):
            setattr(self, f"conv{k}", conv(features + (k - 1) * growth, growth if k < 5 else features))
        self.conv1x1 = nn.Conv2d(features, growth, 1, bias=False) if plus else None

    def forward(self, x):
        x1 = leaky(self.conv1(x))
        x2 = leaky(self.conv2(torch.cat([x, x1], 1)))
        if self.conv1x1:
            x2 = x2 + self.conv1x1(x)
        x3 = leaky(self.conv3(torch.cat([x, x1, x2], 1)))
        x4 = leaky(self.conv4(torch.cat([x, x1, x2, x3], 1)))
        if self.conv1x1:
            x4 = x4 + x2
        return 0.2 * self.conv5(torch.cat([x, x1, x2, x3, x4], 1)) + x


class Residual(nn.Module):
    def __init__(self, *args):
        super().__init__()
        self.rdb1, self.rdb2, self.rdb3 = Dense(*args), Dense(*args), Dense(*args)

    def forward(self, x):
        return 0.2 * self.rdb3(self.rdb2(self.rdb1(x))) + x


class RRDBNet(nn.Module):
    def __init__(self, features, blocks, growth, down, plus=False):
        super().__init__()
        self.down = down
        self.conv_first = conv(3 * down * down, features)
        self.body = nn.Sequential(*[Residual(features, growth, plus) for _ in range(blocks)])
        self.conv_body = conv(features, features)
        self.conv_up1, self.conv_up2 = conv(features, features), conv(features, features)
        self.conv_hr, self.conv_last = conv(features, features), conv(features, 3)

    def forward(self, x):
        x = self.conv_first(F.pixel_unshuffle(x, self.down))
        x = x + self.conv_body(self.body(x))
        x = leaky(self.conv_up1(F.interpolate(x, scale_factor=2, mode="nearest")))
        x = leaky(self.conv_up2(F.interpolate(x, scale_factor=2, mode="nearest")))
        return self.conv_last(leaky(self.conv_hr(x)))


def old_names(state, blocks):
    renamed = {}
    for key, value in state.items():
        key = re.sub(r"^body\.(\d+)\.rdb(\d)\.conv(\d)\.", r"model.1.sub.\1.RDB\2.conv\3.0.", key)
        key = re.sub(r"^body\.(\d+)\.rdb(\d)\.", r"model.1.sub.\1.RDB\2.", key)
        for new, old in {"first": "0", "body": f"1.sub.{blocks}", "up1": "3", "up2": "6", "hr": "8", "last": "10"}.items():
            key = key.replace(f"conv_{new}.", f"model.{old}.")
        renamed[key] = value
    return renamed


class Conv3XC(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.sk = nn.Conv2d(inputs, outputs, 1)
        self.conv = nn.Sequential(
            nn.Conv2d(inputs, 2 * inputs, 1), nn.Conv2d(2 * inputs, 2 * outputs, 3), nn.Conv2d(2 * outputs, outputs, 1)
        )
        self.eval_conv = conv(inputs, outputs)  # another one, as in a file that was saved in training

    def forward(self, x):
        return self.conv(F.pad(x, (1, 1, 1, 1))) + self.sk(x)


class Attention(nn.Module):
    def __init__(self, inputs, features):
        super().__init__()
        self.c1_r, self.c2_r, self.c3_r = Conv3XC(inputs, features), Conv3XC(features, features), Conv3XC(features, features)

    def forward(self, x):
        first = F.silu(self.c1_r(x))
        last = self.c3_r(F.silu(self.c2_r(first)))
        return (last + x) * (torch.sigmoid(last) - 0.5) if last.shape == x.shape else last, first


class SPAN(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.conv_1, self.conv_2 = Conv3XC(3, features), Conv3XC(features, features)
        for i in range(1, 7):
            setattr(self, f"block_{i}", Attention(features, features))
        self.conv_cat = nn.Conv2d(4 * features, features, 1)
        self.upsampler = nn.Sequential(conv(features, 3 * scale * scale), nn.PixelShuffle(scale))

    def forward(self, x):
        x = start = self.conv_1((x - torch.tensor([0.4488, 0.4371, 0.4040]).view(1, 3, 1, 1)) * 255)
        results = []
        for i in range(1, 7):
            x, first = getattr(self, f"block_{i}")(x)
            results.append(x)
        return self.upsampler(self.conv_cat(torch.cat([start, self.conv_2(x), results[0], first], 1)))


class SPANF(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.scale = scale
        self.conv_near = nn.Conv2d(3, 3 * scale * scale, 3, 1, 1, groups=3, bias=False)
        for i in range(1, 6):
            setattr(self, f"block_{i}", Attention(features if i > 1 else 3, features))
        self.conv_cat = nn.Conv2d(2 * features + 3 * scale * scale, features, 1)
        self.conv_2 = Conv3XC(features, 3 * scale * scale)

    def forward(self, x):
        results = [x]
        for i in range(1, 6):
            results.append(getattr(self, f"block_{i}")(results[-1])[0])
        x = self.conv_cat(torch.cat([self.conv_near(x), results[5], results[1]], 1))
        return F.pixel_shuffle(self.conv_2(x), self.scale)


class Block(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv1, self.conv2 = conv(features, features), conv(features, features)

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(x)))


class EDSR(nn.Module):
    def __init__(self, features, blocks):
        super().__init__()
        self.conv_first = conv(3, features)
        self.body = nn.Sequential(*[Block(features) for _ in range(blocks)])
        self.conv_after_body = conv(features, features)
        self.upsample = nn.Sequential(
            conv(features, 4 * features), nn.PixelShuffle(2), conv(features, 4 * features), nn.PixelShuffle(2)
        )
        self.conv_last = conv(features, 3)

    def forward(self, x):
        mean = torch.tensor([0.4488, 0.4371, 0.4040]).view(1, 3, 1, 1)
        x = self.conv_first((x - mean) * 255)
        x = x + self.conv_after_body(self.body(x))
        return self.conv_last(self.upsample(x)) / 255 + mean


class MSRResNet(nn.Module):
    def __init__(self, features, blocks):
        super().__init__()
        self.conv_first = conv(3, features)
        self.body = nn.Sequential(*[Block(features) for _ in range(blocks)])
        self.upconv1 = conv(features, 9 * features)
        self.conv_hr, self.conv_last = conv(features, features), conv(features, 3)

    def forward(self, picture):
        x = self.body(F.leaky_relu(self.conv_first(picture), 0.1))
        x = F.leaky_relu(F.pixel_shuffle(self.upconv1(x), 3), 0.1)
        x = self.conv_last(F.leaky_relu(self.conv_hr(x), 0.1))
        return x + F.interpolate(picture, scale_factor=3, mode="bilinear", align_corners=False)


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, tensor in tensors.items():
        data = tensor.contiguous().numpy().tobytes()
        header[name] = {
            "dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(data)]
        }
        body += data
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + body)


def save(name, network, rename=lambda state: state, wrapper=None, old=False):
    state = rename(network.state_dict())
    picture = torch.rand(1, 3, 8, 12)
    with torch.no_grad():
        result = network(picture)
    path = os.path.join(FOLDER, name)
    torch.save({wrapper: state} if wrapper else state, path + ".pth", _use_new_zipfile_serialization=not old)
    write_safetensors(path + ".safetensors", {"input": picture, "output": result})


torch.manual_seed(1)
save("compact", Compact(4, 2, 2), wrapper="params")
save("rrdbnet", RRDBNet(4, 1, 2, 2), wrapper="params_ema", old=True)
save("esrgan-plus", RRDBNet(4, 1, 2, 1, plus=True), rename=lambda state: old_names(state, 1))
save("span", SPAN(2, 4), wrapper="params", old=True)
save("spanf", SPANF(2, 2), wrapper="params", old=True)
save("edsr", EDSR(3, 2), wrapper="params")
save("msrresnet", MSRResNet(3, 2), wrapper="params")
save("swinir", random_norms(Transformer(6, 2, 4, [2, 1], 2)), wrapper="params", old=True)
save("hat", random_norms(Transformer(8, 2, 4, [2, 1], 2, is_hat=True)), wrapper="params_ema", old=True)
save("dat", random_norms(Transformer(8, 2, (2, 4), [3, 1], 2, is_dual=True)), wrapper="params", old=True)
