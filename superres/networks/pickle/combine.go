package pickle

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"superres/superres/networks/fail"
)

// combine carries out op if it combines or copies values of the stack or uses the memo, and reports whether it did.
func (m *machine) combine(op byte) bool {
	switch op {
	case opMark:
		m.count(1)
		m.marks = append(m.marks, len(m.stack))
	case opPop:
		if len(m.marks) > 0 && len(m.stack) == m.base() {
			m.popMark() // without a value after the mark, Python removes the mark
		} else {
			m.pop()
		}
	case opPopMark:
		m.popMark()
	case opDup:
		m.push(m.top())
	case opEmptyTuple:
		m.push(Tuple(nil))
	case opTuple:
		m.push(Tuple(m.popMark()))
	case opTuple1, opTuple2, opTuple3:
		items := make(Tuple, op-opTuple1+1)
		for i := len(items) - 1; i >= 0; i-- {
			items[i] = m.pop()
		}
		m.push(items)
	case opEmptyList, opEmptySet:
		m.push(&List{})
	case opList, opFrozenSet:
		m.push(&List{m.popMark()})
	case opAppend:
		m.extend([]any{m.pop()})
	case opAppends, opAddItems:
		m.extend(m.popMark())
	case opEmptyDict:
		m.push(&Dict{})
	case opDict:
		items := m.popMark()
		m.push(&Dict{})
		m.setItems(items)
	case opSetItem:
		value, key := m.pop(), m.pop()
		m.setItems([]any{key, value})
	case opSetItems:
		m.setItems(m.popMark())
	default:
		return m.remember(op)
	}
	return true
}

// extend appends items to the list on top of the stack.
func (m *machine) extend(items []any) {
	list, isList := m.top().(*List)
	if !isList {
		panic(fail.With("the pickle adds items to %s, expected a list", describe(m.top())))
	}
	list.Items = append(list.Items, items...)
}

// setItems adds items, which are keys and values in turn, to the dictionary on top of the stack.
func (m *machine) setItems(items []any) {
	dict, isDict := m.top().(*Dict)
	if !isDict || len(items)%2 != 0 {
		panic(fail.With("the pickle sets %d keys and values of %s, expected pairs for a dictionary", len(items),
			describe(m.top())))
	}
	for i := 0; i < len(items); i += 2 {
		dict.Set(items[i], items[i+1])
	}
}

// remember carries out op if it puts a value into the memo or gets one from there, and reports whether it did.
func (m *machine) remember(op byte) bool {
	switch op {
	case opPut, opGet:
		n := fail.Need(strconv.ParseUint(m.line(), 10, 32))
		m.useMemo(uint32(n), op == opPut)
	case opBinPut, opBinGet:
		m.useMemo(uint32(m.take(1)[0]), op == opBinPut)
	case opLongBinPut, opLongBinGet:
		m.useMemo(binary.LittleEndian.Uint32(m.take(4)), op == opLongBinPut)
	case opMemoize:
		m.useMemo(uint32(len(m.memo)), true)
	default:
		return false
	}
	return true
}

// useMemo puts the top of the stack into the memo as number n if isPut is true, else pushes value n of the memo.
func (m *machine) useMemo(n uint32, isPut bool) {
	if isPut {
		m.count(1)
		m.memo[n] = m.top()
		return
	}
	v, found := m.memo[n]
	fail.When(!found, "the pickle takes the value %d, which it has not put", n)
	m.push(v)
}

// name carries out op if it names a function, calls one from Global or takes a value from outside, and reports if so.
func (m *machine) name(op byte) bool {
	switch op {
	case opGlobal, opInst:
		module, name := m.line(), m.line()
		m.push(fail.Need(m.Global(module, name)))
		fail.When(op == opInst, "the pickle makes an instance of %s.%s, which superres does not read", module, name)
	case opStackGlobal:
		name, isName := m.pop().(string)
		module, isModule := m.pop().(string)
		fail.When(!isName || !isModule, "the pickle names a function by what is no string")
		m.push(fail.Need(m.Global(module, name)))
	case opReduce, opNewObj:
		args, isTuple := m.pop().(Tuple)
		function, isFunction := m.pop().(Function)
		fail.When(!isTuple || !isFunction, "the pickle calls what is no function")
		m.push(fail.Need(function(args)))
	case opBuild: // sets attributes, which the values here do not have
		m.pop()
		m.top()
	case opPersID:
		m.push(fail.Need(m.Persistent(m.line())))
	case opBinPersID:
		m.push(fail.Need(m.Persistent(m.pop())))
	case opObj, opNewObjEx, opExt1, opExt2, opExt4:
		panic(fail.With("the pickle makes an object in a way that superres does not read (operation %#02x)", op))
	default:
		return false
	}
	return true
}

// describe returns the name of a value's type for error messages.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case Tuple:
		return "a tuple"
	case *List:
		return "a list"
	case *Dict:
		return "a dictionary"
	case string:
		return "a string"
	case int64, float64:
		return "a number"
	}
	return fmt.Sprintf("a value of the type %T", v)
}
