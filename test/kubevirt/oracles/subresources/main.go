// Answers requests for subresources of VMs and VMIs with the handlers of KubeVirt's virt-api, one
// request per line. An API server with the VM and the VMI of the request, and a virt-handler that
// accepts everything, are in the same process.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/emicklei/go-restful/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	k8sv1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"

	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/client-go/log"

	"kubevirt.io/kubevirt/pkg/testutils"
	"kubevirt.io/kubevirt/pkg/virt-api/rest"
)

type request struct {
	// `virtualmachines/start`
	Subresource string          `json:"subresource"`
	Body        string          `json:"body"`
	VM          json.RawMessage `json:"vm"`
	VMI         json.RawMessage `json:"vmi"`
	Gates       []string        `json:"gates"`
	Query       string          `json:"query"`
}

type write struct {
	// `patch virtualmachines/status`
	What   string          `json:"what"`
	Object json.RawMessage `json:"object"`
	DryRun bool            `json:"dryRun"`
}

type answer struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
	Body    string `json:"body,omitempty"`
	Writes  []write `json:"writes"`
	// The request reached virt-handler.
	Handled bool `json:"handled"`
}

var asked request
var given answer

func main() {
	log.InitializeLogging("oracle")
	log.Log.SetIOWriter(io.Discard)
	handler := httptest.NewTLSServer(http.HandlerFunc(serveHandler))
	api := httptest.NewServer(http.HandlerFunc(serveAPI))
	insecure := &tls.Config{InsecureSkipVerify: true}
	address, _ := url.Parse(handler.URL)
	port, _ := strconv.Atoi(address.Port())
	config := &restclient.Config{Host: api.URL, QPS: 10000, Burst: 10000}
	client, err := kubecli.GetKubevirtClientFromRESTConfig(config)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		asked, given = request{}, answer{Writes: []write{}}
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		gates, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(&v1.KubeVirtConfiguration{
			DeveloperConfiguration: &v1.DeveloperConfiguration{FeatureGates: asked.Gates},
		})
		app := rest.NewSubresourceAPIApp(client, kubernetes.NewForConfigOrDie(config), port, insecure, gates)
		answerWith(app)
		text, err := json.Marshal(given)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(text, '\n'))
	}
}

func answerWith(app *rest.SubresourceAPIApp) {
	handle := routes(app)[asked.Subresource]
	if handle == nil {
		panic("no route " + asked.Subresource)
	}
	sent := httptest.NewRequest("PUT", "/?"+asked.Query, bytes.NewReader([]byte(asked.Body)))
	request := restful.NewRequest(sent)
	request.PathParameters()["name"] = "web"
	request.PathParameters()["namespace"] = "ns"
	request.PathParameters()["port"] = "1"
	recorder := httptest.NewRecorder()
	response := restful.NewResponse(recorder)
	response.SetRequestAccepts(restful.MIME_JSON)
	handle(request, response)
	given.Code = recorder.Code
	body := recorder.Body.String()
	status := metav1.Status{}
	if err := json.Unmarshal([]byte(body), &status); err == nil && status.Message != "" {
		given.Message = status.Message
	} else if recorder.Code >= 400 {
		given.Message = strings.TrimSpace(body)
	} else {
		given.Body = body
	}
}

func routes(app *rest.SubresourceAPIApp) map[string]func(*restful.Request, *restful.Response) {
	return map[string]func(*restful.Request, *restful.Response){
		"virtualmachines/start":                            app.StartVMRequestHandler,
		"virtualmachines/stop":                             app.StopVMRequestHandler,
		"virtualmachines/restart":                          app.RestartVMRequestHandler,
		"virtualmachines/migrate":                          app.MigrateVMRequestHandler,
		"virtualmachines/evacuate/cancel":                  app.EvacuateCancelHandler(app.FetchVirtualMachineInstanceForVM),
		"virtualmachines/addvolume":                        app.VMAddVolumeRequestHandler,
		"virtualmachines/removevolume":                     app.VMRemoveVolumeRequestHandler,
		"virtualmachineinstances/addvolume":                app.VMIAddVolumeRequestHandler,
		"virtualmachineinstances/removevolume":             app.VMIRemoveVolumeRequestHandler,
		"virtualmachines/objectgraph":                      app.VMObjectGraph,
		"virtualmachines/portforward":                      app.PortForwardRequestHandler(app.FetchVirtualMachineInstanceForVM),
		"virtualmachineinstances/evacuate/cancel":          app.EvacuateCancelHandler(app.FetchVirtualMachineInstance),
		"virtualmachineinstances/pause":                    app.PauseVMIRequestHandler,
		"virtualmachineinstances/unpause":                  app.UnpauseVMIRequestHandler,
		"virtualmachineinstances/freeze":                   app.FreezeVMIRequestHandler,
		"virtualmachineinstances/unfreeze":                 app.UnfreezeVMIRequestHandler,
		"virtualmachineinstances/reset":                    app.ResetVMIRequestHandler,
		"virtualmachineinstances/softreboot":               app.SoftRebootVMIRequestHandler,
		"virtualmachineinstances/console":                  app.ConsoleRequestHandler,
		"virtualmachineinstances/vnc":                      app.VNCRequestHandler,
		"virtualmachineinstances/vnc/screenshot":           app.ScreenshotRequestHandler,
		"virtualmachineinstances/usbredir":                 app.USBRedirRequestHandler,
		"virtualmachineinstances/vsock":                    app.VSOCKRequestHandler,
		"virtualmachineinstances/portforward":              app.PortForwardRequestHandler(app.FetchVirtualMachineInstance),
		"virtualmachineinstances/guestosinfo":              app.GuestOSInfo,
		"virtualmachineinstances/userlist":                 app.UserList,
		"virtualmachineinstances/filesystemlist":           app.FilesystemList,
		"virtualmachineinstances/objectgraph":              app.VMIObjectGraph,
		"virtualmachineinstances/backup":                   app.BackupVMIRequestHandler,
		"virtualmachineinstances/redefine-checkpoint":      app.RedefineCheckpointVMIRequestHandler,
		"virtualmachineinstances/sev/fetchcertchain":       app.SEVFetchCertChainRequestHandler,
		"virtualmachineinstances/sev/querylaunchmeasurement": app.SEVQueryLaunchMeasurementHandler,
		"virtualmachineinstances/sev/setupsession":         app.SEVSetupSessionHandler,
		"virtualmachineinstances/sev/injectlaunchsecret":   app.SEVInjectLaunchSecretHandler,
		"start-cluster-profiler":                           app.StartClusterProfilerHandler,
		"stop-cluster-profiler":                            app.StopClusterProfilerHandler,
		"dump-cluster-profiler":                            app.DumpClusterProfilerHandler,
	}
}

// serveHandler is virt-handler: it accepts everything, and has nothing to say.
func serveHandler(w http.ResponseWriter, r *http.Request) {
	given.Handled = true
	io.WriteString(w, "{}")
}

// serveAPI has the VM and the VMI of the request, a virt-handler pod, and nothing else.
func serveAPI(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := parts[len(parts)-1]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == "GET" && resource == "pods":
		pod := k8sv1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "virt-handler-1", Namespace: "kubevirt"}}
		pod.Spec.NodeName = "node"
		pod.Status.Phase = k8sv1.PodRunning
		pod.Status.PodIP = "127.0.0.1"
		json.NewEncoder(w).Encode(k8sv1.PodList{Items: []k8sv1.Pod{pod}})
	case r.Method == "GET" && len(parts) > 1 && parts[len(parts)-2] == "nodes":
		json.NewEncoder(w).Encode(k8sv1.Node{ObjectMeta: metav1.ObjectMeta{Name: resource}})
	case r.Method == "POST":
		body, _ := io.ReadAll(r.Body)
		record(r, "create "+resource, body)
		w.WriteHeader(201)
		w.Write(body)
	default:
		kind := parts[5-boolToInt(parts[0] == "api")]
		object := map[string]json.RawMessage{"virtualmachines": asked.VM, "virtualmachineinstances": asked.VMI}[kind]
		if len(object) == 0 || string(object) == "null" {
			w.WriteHeader(404)
			json.NewEncoder(w).Encode(metav1.Status{Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: 404, Message: kind + " not found"})
			return
		}
		if r.Method == "PATCH" {
			body, _ := io.ReadAll(r.Body)
			patch, err := jsonpatch.DecodePatch(body)
			if err != nil {
				panic(err)
			}
			patched, err := patch.Apply(object)
			if err != nil {
				w.WriteHeader(422)
				json.NewEncoder(w).Encode(metav1.Status{Status: "Failure", Reason: metav1.StatusReasonInvalid, Code: 422, Message: "the server rejected our request due to an error in our request: " + err.Error()})
				return
			}
			record(r, "patch "+strings.Join(append([]string{kind}, parts[7:]...), "/"), patched)
			object = patched
		}
		w.Write(object)
	}
}

func record(r *http.Request, what string, object []byte) {
	given.Writes = append(given.Writes, write{What: what, Object: object, DryRun: r.URL.Query().Get("dryRun") != ""})
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}
