#!/bin/bash
# Goes on with the training of photo32.x4 where the checkpoint beside this file is, in the folder of the pictures:
# copy photo32.x4.npz.partial to where -o points first.
exec superres train --convolutional --scale 4 --channels 32 --depth 20 --skip 5 --patch 48 --batch 6 --steps 100000 \
	--colour-steps 6000 --progress plain kodak open pexels skimage unsplash -o photo32.x4.npz
