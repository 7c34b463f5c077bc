// Validates objects of Tekton as its admission does: one object per line of input.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"

	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"knative.dev/pkg/apis"
)

type object interface {
	apis.Defaultable
	apis.Validatable
}

func decode(line []byte) (object, error) {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, err
	}
	kinds := map[string]object{"Task": &v1.Task{}, "Pipeline": &v1.Pipeline{}, "TaskRun": &v1.TaskRun{}, "PipelineRun": &v1.PipelineRun{}}
	found := kinds[kind.Kind]
	if found == nil {
		return nil, &json.UnsupportedValueError{Str: kind.Kind}
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	return found, decoder.Decode(found)
}

func refusal(line []byte) string {
	decoded, err := decode(line)
	if err != nil {
		return err.Error()
	}
	ctx := apis.WithinCreate(context.Background())
	decoded.SetDefaults(ctx)
	if err := decoded.Validate(ctx); err != nil {
		return err.Error()
	}
	return ""
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(refusal(lines.Bytes())); err != nil {
			panic(err)
		}
	}
}
