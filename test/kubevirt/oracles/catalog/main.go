// Tells whether opm accepts file-based catalogs: one list of objects per line of input.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

func verdict(objects []json.RawMessage) error {
	cfg, err := declcfg.LoadReader(bytes.NewReader(bytes.Join(asBytes(objects), []byte("\n"))))
	if err != nil {
		return err
	}
	_, err = declcfg.ConvertToModel(*cfg)
	return err
}

func asBytes(objects []json.RawMessage) [][]byte {
	all := make([][]byte, len(objects))
	for i, object := range objects {
		all[i] = object
	}
	return all
}

func main() {
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var objects []json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &objects); err != nil {
			panic(err)
		}
		answer := map[string]string{}
		if err := verdict(objects); err != nil {
			answer["error"] = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
