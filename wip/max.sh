cd ../shared/data
R=./superres
T="$R train --convolutional --channels 64 --depth 16 --skip 4 --patch 56 --batch 4 --margin 4 --rate 0.007 --drawings 0.03 --seed 35 --colour-steps 0 --held-out 5 --progress plain kodak open pexels skimage unsplash"
O=.
[ -f $O/max.x4.npz ] || $T -s 4 --steps 22000 -o $O/max.x4.npz >> $O/x4.log 2>&1
[ -f $O/max.x2.npz ] || $T -s 2 --steps 12000 --init $O/max.x4.npz -o $O/max.x2.npz >> $O/x2.log 2>&1
[ -f $O/max.x3.npz ] || $T -s 3 --steps  7000 --init $O/max.x4.npz -o $O/max.x3.npz >> $O/x3.log 2>&1
