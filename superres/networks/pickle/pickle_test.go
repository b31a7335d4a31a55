package pickle_test

import (
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/pickle"
)

// read reads a pickle whose functions return their names and arguments, and whose outside values their identifiers.
func read(data string) (any, error) {
	v, n, err := pickle.Reader{
		Global: func(module, name string) (any, error) {
			if module == "bad" {
				return nil, errors.New("refused " + name)
			}
			return pickle.Function(func(args pickle.Tuple) (any, error) {
				return append(pickle.Tuple{module + "." + name}, args...), nil
			}), nil
		},
		Persistent: func(id any) (any, error) { return id, nil },
	}.Read([]byte(data))
	if err == nil && n != strings.LastIndexByte(data, '.')+1 {
		err = errors.New("of another size")
	}
	return v, err
}

func dict(items ...any) *pickle.Dict {
	d := &pickle.Dict{}
	for i := 0; i < len(items); i += 2 {
		d.Set(items[i], items[i+1])
	}
	return d
}

// whole returns whole numbers as a pickle has them.
func whole(list ...int64) (values []any) {
	for _, v := range list {
		values = append(values, v)
	}
	return values
}

// The pickles are those that Python's pickle.dumps returns.
func TestValues(t *testing.T) {
	large, _ := new(big.Int).SetString("-119547037146038801333356", 10)
	for data, want := range map[string]any{
		"\x80\x02N.":                            nil,
		"I01\n.":                                true,
		"\x80\x02\x89.":                         false,
		"\x80\x02J\xfe\xff\xff\xff.":            int64(-2),
		"\x80\x02M\x00\x01.":                    int64(256),
		"L-5L\n.":                               int64(-5),
		"\x80\x02\x8a\x05\x00\x00\x00\x00\xff.": int64(-1 << 32),
		"\x80\x02\x8a\x0a\x94\x03\x63\xb9\x06\xdf\x95\x57\xaf\xe6.": large,
		"\x80\x02G?\xf8\x00\x00\x00\x00\x00\x00.":                   1.5,
		"F1.5\n.": 1.5,
		"\x80\x02X\x02\x00\x00\x00\xc3\xa9q\x00.":                    "é",
		"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00C\x01a\x94.":    pickle.Bytes("a"),
		"\x80\x02K\x01K\x02\x86q\x00.":                               pickle.Tuple(whole(1, 2)),
		"\x80\x02(K\x01K\x02K\x03K\x04tq\x00.":                       pickle.Tuple(whole(1, 2, 3, 4)),
		"\x80\x02]q\x00(K\x01K\x02K\x03e.":                           &pickle.List{Items: whole(1, 2, 3)},
		"\x80\x02]q\x00K\x01a.":                                      &pickle.List{Items: whole(1)},
		"\x80\x04\x8f\x94(K\x01K\x02\x90.":                           &pickle.List{Items: whole(1, 2)},
		"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01K\x02h\x00u0N.":       nil,
		"\x80\x02}(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00aK\x02u.": dict("a", int64(2)),
		"(dI3\nI4\ns.":                         dict(int64(3), int64(4)),
		"\x80\x02cm\nf\nK\x01\x85R}b.":         pickle.Tuple{"m.f", int64(1)},
		"\x80\x04\x8c\x01m\x8c\x01f\x93)\x81.": pickle.Tuple{"m.f"},
		"\x80\x02K\x07Q.":                      int64(7),
		"\x80\x02(K\x01(K\x020K\x0310K\x05.":   int64(5),
	} {
		got, err := read(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v; expected %v", data, got, err, want)
		}
	}
	d := must.Get(read("\x80\x02}q\x00(X\x01\x00\x00\x00ah\x00u."))(t).(*pickle.Dict)
	if d.Get("a") != d || d.Get("b") != nil {
		t.Error("the dictionary does not hold itself")
	}
}

func TestRefused(t *testing.T) {
	for data, want := range map[string]string{
		"":                              "ends in the middle",
		"\x80":                          "ends in the middle",
		"\x80\x06N.":                    "protocol 6",
		"\x80\x02\xff.":                 "unknown operation 0xff",
		"\x80\x02.":                     "more from its stack",
		"\x80\x02N(.":                   "more from its stack",
		"\x80\x02N(\x85.":               "more from its stack",
		"\x80\x02Nt.":                   "more from its stack",
		"\x80\x02Na.":                   "more from its stack",
		"\x80\x02NNa.":                  "adds items to None",
		"\x80\x02](NNu.":                "of a list",
		"\x80\x02}(Nu.":                 "1 keys and values",
		"\x80\x02NNR.":                  "calls what is no function",
		"\x80\x02h\x05.":                "the value 5",
		"\x80\x02cbad\nthing\n.":        "refused thing",
		"(cm\nf\no.":                    "operation 0x6f",
		"\x80\x02\x82\x01.":             "operation 0x82",
		"\x80\x02\x8b\xff\xff\xff\xff.": "ends in the middle",
		"\x80\x02\x8b\x41\x00\x00\x00" + strings.Repeat("x", 65) + ".": "a number of 65 bytes",
		"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc.":             "ends in the middle",
		"Ix\n.":                                "invalid syntax",
		"Fx\n.":                                "invalid syntax",
		"p-1\n.":                               "invalid syntax",
		strings.Repeat("(", 1<<20) + "N.":      "more than 1048576 values",
		"N" + strings.Repeat("2", 1<<20) + ".": "more than 1048576 values",
		"N" + strings.Repeat("q\x00", 1<<20) + ".": "more than 1048576 values",
	} {
		_, err := read(data)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, expected %q", data, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01K\x02h\x00uN\x86.")
	f.Add("\x80\x04\x8c\x01m\x8c\x01f\x93)\x81.")
	f.Fuzz(func(t *testing.T, data string) { _, _ = read(data) })
}
