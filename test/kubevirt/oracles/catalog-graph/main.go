// Answers what opm makes of a catalog, one request per line: whether it can be read, whether it is
// valid, and how it is drawn.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

type request struct {
	// The content of a file, or the path of a folder.
	Text        string `json:"text"`
	Folder      string `json:"folder"`
	Package     string `json:"package"`
	MinimumEdge string `json:"minimumEdge"`
	V0          bool   `json:"v0"`
}

type answer struct {
	Unreadable string `json:"unreadable,omitempty"`
	Invalid    string `json:"invalid,omitempty"`
	Undrawn    string `json:"undrawn,omitempty"`
	Mermaid    string `json:"mermaid,omitempty"`
}

func answerTo(r request) answer {
	var a answer
	cfg, err := load(r)
	if err != nil {
		a.Unreadable = err.Error()
		return a
	}
	if _, err := declcfg.ConvertToModel(*cfg); err != nil {
		a.Invalid = err.Error()
	}
	var out bytes.Buffer
	writer := declcfg.NewMermaidWriter(
		declcfg.WithMinEdgeName(r.MinimumEdge),
		declcfg.WithSpecifiedPackageName(r.Package),
		declcfg.WithV0Semantics(r.V0))
	if err := writer.WriteChannels(*cfg, &out); err != nil {
		a.Undrawn = err.Error()
		return a
	}
	a.Mermaid = out.String()
	return a
}

func load(r request) (*declcfg.DeclarativeConfig, error) {
	if r.Folder != "" {
		// In one goroutine, so that objects are in the order of their files.
		return declcfg.LoadFS(context.Background(), os.DirFS(r.Folder), declcfg.WithConcurrency(1))
	}
	return declcfg.LoadReader(strings.NewReader(r.Text))
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		if err := out.Encode(answerTo(r)); err != nil {
			panic(err)
		}
	}
}
