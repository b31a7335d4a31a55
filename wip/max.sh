# How max.x2.npz was learned, from max.x4.npz (f46ab34c^2:wip/max.x4.npz), in the folder of the pictures:
superres train --convolutional --channels 64 --depth 16 --skip 4 --patch 24 --batch 8 --margin 4 --rate 0.007 --drawings 0.03 --seed 35 --colour-steps 0 --held-out 5 --init max.x4.npz -s 2 --steps 60000 -o max.x2.npz kodak open pexels skimage unsplash
