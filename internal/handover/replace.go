package handover

import "reflect"

// replaceIn is a copy of v with other strings: those in fields, lists, maps and
// behind pointers, but in no unexported field.
func replaceIn(v reflect.Value, replace func(string) string) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(replace(v.String())).Convert(v.Type())
	case reflect.Pointer:
		if !v.IsNil() {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(replaceIn(v.Elem(), replace))
			return out
		}
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if field := out.Field(i); field.CanSet() {
				field.Set(replaceIn(v.Field(i), replace))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 { // JSON keeps all bytes of a []byte
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(replaceIn(v.Index(i), replace))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			out.SetMapIndex(replaceIn(entries.Key(), replace), replaceIn(entries.Value(), replace))
		}
		return out
	}
	return v
}
