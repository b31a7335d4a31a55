package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/internal/safefile"
	"superres/superres"
)

// The parts of a training lie beside its model until superres merge takes them:
// my.npz.part.I-of-N. What comes of each step is my.npz.partial, as in a training that
// is not divided.
const partInfix = ".part"

// trainingShard reads --shard of train.
func trainingShard(c *cli.Context) (shard, error) {
	part, err := newShard(c.String("shard"))
	switch {
	case err != nil || part.of == 0:
		return shard{}, err
	case c.Int("stages") < 1:
		return part, usage("--shard divides the training of anchored stages; ask for some with --stages")
	case c.Int("held-out") > 0:
		return part, usage("--shard and --held-out do not go together; score the model with superres eval")
	}
	return part, nil
}

// trainShard does one part of the next step of a training.
func trainShard(c *cli.Context, list []superres.Source, opt superres.TrainOptions, part shard, bar *progress) error {
	out := c.String("output")
	var err error
	if opt.Kept, err = readPartial(out+partialSuffix, opt.MaxMemory); err != nil {
		return err
	}
	name := out + partInfix + part.suffix()
	had, err := readPartial(name, opt.MaxMemory)
	if err != nil {
		return err
	}
	data, err := superres.TrainPart(c.Context, list, opt, part.index, part.of, had)
	if errors.Is(err, superres.ErrParts) {
		err = fmt.Errorf("%w; to begin anew remove %s", err, out+partialSuffix)
	}
	if err != nil {
		return trainingError(err)
	}
	if err := safefile.WriteAtomic(name, true, writes(data)); err != nil {
		return err
	}
	bar.line("%s: part %v is done; superres merge %s completes the step when all are", name, part, out)
	return nil
}

// mergeTraining completes a step of a training, or the training.
func mergeTraining(c *cli.Context, s *streams, out string) error {
	memory, err := machine(c)
	if err != nil {
		return err
	}
	bar, err := newProgress(c, s)
	if err != nil {
		return err
	}
	kept, err := readPartial(out+partialSuffix, memory)
	if err != nil {
		return err
	}
	names, err := trainingParts(out)
	if err != nil {
		return err
	}
	next, m, err := superres.MergeParts(c.Context, kept, len(names), func(i int) ([]byte, error) { return readPartial(names[i], memory) })
	if errors.Is(err, superres.ErrParts) {
		err = fmt.Errorf("%w; run the parts again, or remove %s* and %s to begin anew", err, out+partInfix+".", out+partialSuffix)
	}
	if err != nil {
		return trainingError(err)
	}
	target, write := out+partialSuffix, writes(next)
	if m != nil {
		target, write = out, m.Save
	}
	if err := safefile.WriteAtomic(target, true, write); err != nil { // the parts have looked whether it may
		return err
	}
	if m != nil {
		names = append(names, out+partialSuffix)
	}
	for _, name := range names {
		// Of no use any more; nothing is lost when it stays.
		_ = os.Remove(name)
	}
	if m == nil {
		bar.line("%s: a step is done; run the parts again for the next", target)
		return nil
	}
	bar.line("%s: %s", out, summary(m))
	return nil
}

// trainingParts lists the files of all parts of a step, and fails when some are
// missing.
func trainingParts(out string) ([]string, error) {
	files, err := filepath.Glob(GlobQuote(out) + partInfix + ".*-of-*")
	if err != nil {
		return nil, err
	}
	there, of := map[shard]bool{}, 0
	for _, file := range files {
		if p, ok := partOf(file); ok && file == out+partInfix+p.suffix() {
			there[p], of = true, p.of
		}
	}
	if of == 0 {
		return nil, codedError{errors.New(out + ": no part of its training is there; run superres train --shard I/N, for all I"), exitInput}
	}
	var names, missing []string
	for i := range of {
		p := shard{i, of}
		if names = append(names, out+partInfix+p.suffix()); !there[p] {
			missing = append(missing, p.String())
		}
	}
	switch {
	case len(there) > of-len(missing):
		return nil, codedError{fmt.Errorf("%s: parts of different numbers of parts are there; remove %s%s.*", out, out, partInfix), exitInput}
	case len(missing) > 10:
		return nil, codedError{fmt.Errorf("%s: %d of %d parts are not done yet", out, len(missing), of), exitInput}
	case len(missing) > 0:
		return nil, codedError{fmt.Errorf("%s: not done yet: --shard %s", out, strings.Join(missing, ", ")), exitInput}
	}
	return names, nil
}
