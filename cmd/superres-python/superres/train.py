"""Trains networks with PyTorch: python -m superres.train photos/ -o my.npz

It is the command superres train --convolutional, with its flags, but for the steps, which PyTorch makes on a GPU or the
processor. The program reads the pictures, samples and degrades the patches, and writes checkpoints, reports and the
model; superres/convolutional/learning/remote.go there says what it sends.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from ._program import find_program

if TYPE_CHECKING:
    import torch

_HELP = """All other flags are the same as of superres train --convolutional: its --help-all lists them. Run the
same command again to go on after an interruption, with or without PyTorch."""


def main(arguments: list[str]) -> int:
    """Run the command with arguments, and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m superres.train", epilog=_HELP, allow_abbrev=False,
                                     usage="%(prog)s [FLAGS] IMAGES... -o MODEL", description="Train a network with "
                                     "PyTorch, on a GPU where there is one.")
    parser.add_argument("--device", help="cuda, cuda:1, mps, cpu, or another of PyTorch; default: the first there is")
    parser.add_argument("--precision", choices=("float32", "bfloat16", "float16"), help="of the products in all but "
                        "the last fiftieth of the steps; default: bfloat16 or float16 on CUDA, else float32")
    own, flags = parser.parse_known_args(arguments)
    try:
        import torch
    except ImportError as e:
        print(f"superres: training needs PyTorch ({e}); https://pytorch.org says how to install it", file=sys.stderr)
        return 2
    try:
        device = torch.device(own.device or _find_device())
        torch.zeros(1, device=device)
    except (AssertionError, RuntimeError) as e:
        print(f"superres: --device {own.device}: {str(e).splitlines()[0]}", file=sys.stderr)
        return 2
    program = subprocess.Popen([find_program(), "train", "--convolutional", "--engine=pipe", *flags],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdin and program.stdout
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program keeps the state and ends, and so does this
    try:
        serve(program.stdout, program.stdin, device, own.precision)
    except BrokenPipeError:
        pass  # the program has ended, and said why
    except RuntimeError as e:  # such as too little memory on the GPU
        print(f"superres: PyTorch: {str(e).splitlines()[0]}", file=sys.stderr)
    finally:
        for pipe in (program.stdin, program.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        code = program.wait()
    return code


def _find_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    mps = getattr(torch.backends, "mps", None)
    return "mps" if mps and mps.is_available() else "cpu"


def serve(source: BinaryIO, sink: BinaryIO, device: torch.device, precision: str | None) -> None:
    """Make the steps that the program asks for, until source ends."""
    import torch

    if precision is None:
        precision = "float32"
        if device.type == "cuda":
            precision = "bfloat16" if torch.cuda.is_bf16_supported() else "float16"
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    learner = None
    while line := source.readline():
        order = json.loads(line)
        if order["do"] == "start":
            learner = _Learner(order, source, device, precision)
            sink.write(f"PyTorch {torch.__version__} on {name} in {precision}\n".encode())
            sink.flush()
        elif order["do"] == "step":
            learner.step(order, source)
        else:
            sink.write(learner.state())
            sink.flush()


def _read(source: BinaryIO, count: int) -> torch.Tensor:
    """Read float32 numbers."""
    import torch

    data = bytearray(4 * count)
    view = memoryview(data)
    while view:
        read = source.readinto(view)
        if not read:
            raise BrokenPipeError
        view = view[read:]
    return torch.frombuffer(data, dtype=torch.float32)


class _Layer:
    """A layer: its weights in the order (tap, input) by output, and its bias, slope and levels as rows of others.

    Each of the two is the list now, mean, momentum, and others have the mean square of their gradient as well.
    """

    def __init__(self, about: dict[str, Any], source: BinaryIO, device: torch.device) -> None:
        self.side, self.inputs, self.outputs = about["side"], about["in"], about["out"]
        self.span, self.wide, self.pad = about["span"], about["wide"], about["pad"]
        self.linear, self.levels = about["linear"], about["levels"]
        rows = 2 + self.levels
        size = self.side * self.span * self.wide
        # As the program lays them out, with padding, which stays: mean, now, momentum, square.
        self.arrays = [_read(source, size + rows * self.wide) for _ in range(3)] + [_read(source, rows * self.wide)]
        views = [self._split(a) for a in self.arrays]
        mean, now, momentum, square = ([None if v is None else v.to(device).clone() for v in pair] for pair in views)
        self.weights = [now[0].reshape(-1, self.outputs), mean[0].reshape(-1, self.outputs),
                        momentum[0].reshape(-1, self.outputs)]
        self.others = [now[1], mean[1], momentum[1], square[1]]

    def _split(self, array: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor]:
        """Return views of the weights and of the others in an array of the program."""
        size = array.numel() - (2 + self.levels) * self.wide
        others = array[size:].view(-1, self.wide)[:, :self.outputs]
        if not size:
            return None, others
        weights = array[:size].view(self.side, self.span, self.wide)
        return weights[:, :self.side * self.inputs, :self.outputs], others

    def pack(self) -> bytes:
        """Return the arrays as the program lays them out."""
        order = (1, 0, 2)  # mean, now, momentum
        for k, array in enumerate(self.arrays):
            weights, others = self._split(array)
            if weights is not None:
                weights.copy_(self.weights[order[k]].detach().cpu().view(weights.shape))
            others.copy_(self.others[order[k] if k < 3 else 3].detach().cpu())
        return b"".join(a.numpy().tobytes() for a in self.arrays)


class _Learner:
    """A network in training: its layers, loss and optimiser do what package learning of the program does."""

    def __init__(self, order: dict[str, Any], source: BinaryIO, device: torch.device, precision: str) -> None:
        import torch

        self.order, self.by, self.device, self.precision = order, order["by"], device, precision
        self.layers = [_Layer(about, source, device) for about in order["layers"]]
        self.norm = torch.tensor(order["norm"], dtype=torch.float32, device=device)
        self.sums = torch.zeros(2, device=device)  # of loss and squared error, since the last state
        self.dead = 0
        self.scale = 2.0 ** 16  # of the loss, for gradients in float16

    def forward(self, x: torch.Tensor, levels: torch.Tensor, weights: list[torch.Tensor], others: list[torch.Tensor],
                mixed: bool) -> list[torch.Tensor]:
        """Return the outputs of all layers for windows x of (patch, channel, y, x).

        With mixed, products are in the lower precision, except in the first layer, where inputs have more bits.
        """
        import torch
        from torch.nn.functional import conv2d

        skip, outputs = self.order["skip"], []
        low = getattr(torch, self.precision) if mixed else torch.bfloat16
        for i, f in enumerate(self.layers):
            weight = weights[i].view(f.side, f.side, f.inputs, f.outputs).permute(3, 2, 0, 1)
            bias = others[i][0]
            with torch.autocast(self.device.type, dtype=low, enabled=mixed and i > 0):
                z = conv2d(x, weight, None if f.levels else bias, padding=f.pad)
            if f.levels:
                z = z + (bias + levels @ others[i][2:])[:, :, None, None].to(z.dtype)
            if f.linear:
                return [*outputs, z]
            x = torch.where(z < 0, z * others[i][1][:, None, None].to(z.dtype), z)
            if i > 0 and i % skip == 0:
                before = outputs[i - skip]
                by, side = (before.shape[2] - x.shape[2]) // 2, x.shape[2]
                x = x.float() + before[:, :, by:by + side, by:by + side]  # sums over many layers, in float32
            outputs.append(x)
        return outputs

    def loss(self, out: torch.Tensor, target: torch.Tensor, synthetic: torch.Tensor,
             squared: bool) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the mean loss of the patches, and their mean squared error: see optimiser.go of the program."""
        import torch

        by, pixels = self.by, self.order["pixels"]
        count = target.shape[1] * target.shape[2] * pixels
        square = (out.float().permute(0, 2, 3, 1) - target) ** 2
        weight = torch.ones(target.shape[3], device=self.device)
        weight[pixels:] = by["head_weight"]
        losses = (weight * torch.sqrt(square + by["roundness"])).sum((1, 2, 3)) / count
        if squared:
            mean = (weight * square).sum((1, 2, 3)) / count
            if self.order["robust"]:
                mean = by["common_square"] * torch.log1p(mean / by["least_square"])
            losses = torch.where(synthetic > 0, losses, by["square_weight"] * mean)
        return losses.mean(), square[..., :pixels].sum().detach() / (count * len(target))

    def step(self, order: dict[str, Any], source: BinaryIO) -> None:
        """Make the step that order describes with the patches in source."""
        import torch

        o = self.order
        batch, window, patch, first, last = o["batch"], o["window"], o["patch"], self.layers[0], self.layers[-1]
        shapes = [(batch, window, window, first.inputs), (batch, patch, patch, last.outputs), (batch, o["levels"]),
                  (batch,)]
        data = _read(source, sum(math.prod(s) for s in shapes)).to(self.device)
        parts = data.split([math.prod(s) for s in shapes])
        inputs, target, levels, synthetic = (part.view(s) for part, s in zip(parts, shapes))

        mixed = self.precision != "float32" and not order["exact"]
        weights, others = ([x.requires_grad_() for x in tensors] for tensors in
                           ([f.weights[0] for f in self.layers], [f.others[0] for f in self.layers]))
        outputs = self.forward(inputs.permute(0, 3, 1, 2), levels, weights, others, mixed)
        loss, square = self.loss(outputs[-1], target, synthetic, order["squared"])
        scale = self.scale if mixed and self.precision == "float16" else 1.0
        gradients = torch.autograd.grad(loss * scale, weights + others)
        with torch.no_grad():
            self.sums += torch.stack([loss.detach(), square])
            if order["peaks"]:
                self.dead = self._count_dead(outputs[:-1])
            gradients = [g / scale for g in gradients]
            norm = torch.sqrt(sum((g * g).sum() for g in gradients))
            if scale > 1:
                if not torch.isfinite(norm):  # too large for float16: this step is lost
                    self.scale /= 2
                    return
                self.scale = min(self.scale * 1.0005, 2.0 ** 24)
            self._move(order, gradients, norm)

    def _count_dead(self, outputs: list[torch.Tensor]) -> int:
        """Return the number of channels that are near 0 everywhere, beside the greatest sample of their layer."""
        dead = 0
        for x in outputs:
            peaks = x.detach().abs().amax((0, 2, 3))
            dead += int((peaks <= self.by["dead_below"] * peaks.max()).sum())
        return dead

    def _move(self, order: dict[str, Any], gradients: list[torch.Tensor], norm: torch.Tensor) -> None:
        """Move all parameters: weights by Muon, others by Adam."""
        import torch

        by, rate, t = self.by, order["rate"], order["step"] + 1
        mean = norm if t == 1 else self.norm
        clipped = torch.minimum(norm, by["clip_at"] * mean)
        self.norm = by["norm_decay"] * mean + (1 - by["norm_decay"]) * clipped
        clip = torch.where(clipped == norm, torch.ones_like(norm), clipped / norm)
        fresh = 1 - min(by["average_decay"], (1 + t) / (10 + t))
        root = math.sqrt(1 - by["decay2"] ** t)
        shapes = {}
        for f, g in zip(self.layers, gradients):
            momentum = f.weights[2]
            momentum.lerp_(g * clip, 1 - by["momentum"])
            shapes.setdefault(g.shape, []).append((f, torch.lerp(g * clip, momentum, by["momentum"])))
        for group in shapes.values():  # all layers of a shape at once
            updates = self._orthogonalise(torch.stack([update for _, update in group]))
            for (f, _), update in zip(group, updates):
                now, mean = (x.detach() for x in f.weights[:2])
                now.sub_(rate * (update + by["weight_decay"] * now))
                mean.lerp_(now, fresh)
        for f, h in zip(self.layers, gradients[len(self.layers):]):
            now, mean, momentum, square = (x.detach() for x in f.others)
            h = h * clip
            momentum.lerp_(h, 1 - by["decay1"])
            square.lerp_(h * h, 1 - by["decay2"])
            now.sub_(rate * by["adam_rate"] * root / (1 - by["decay1"] ** t) * momentum /
                     (square.sqrt() + by["least"] * root))
            mean.lerp_(now, fresh)

    def _orthogonalise(self, x: torch.Tensor) -> torch.Tensor:
        """Return x·(xᵀx)^(−1/2), nearly, for each of several x, by the iteration of the program."""
        import torch

        by = self.by
        gram = x.transpose(1, 2) @ x
        trace = (x * x).sum((1, 2))[:, None, None]
        trace = torch.where(trace > 0, trace, torch.ones_like(trace))
        unit = torch.eye(x.shape[2], device=self.device)
        p, gram = unit / torch.sqrt(trace), gram / trace
        for _ in range(int(by["schulz_steps"])):
            poly = by["schulz_a"] * unit + by["schulz_b"] * gram + by["schulz_c"] * (gram @ gram)
            p = p @ poly
            gram = poly @ (poly @ gram)
        return x @ p

    def state(self) -> bytes:
        """Return the answer to the order state, after which sums begin at 0."""
        import torch

        head = torch.cat([self.norm.view(1), self.sums, torch.tensor([float(self.dead)], device=self.device)]).cpu()
        self.sums.zero_()
        return head.numpy().tobytes() + b"".join(f.pack() for f in self.layers)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
