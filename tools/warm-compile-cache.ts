// Loads what the processes load, so that Node's compile cache (NODE_COMPILE_CACHE) holds it. Starts
// nothing.
const doors = [
  '#apiserver/embedded-api.ts',
  '#cluster/controllers/index.ts',
  '#cluster/kubelet/index.ts',
  '#features/node-agent/index.ts',
  '#features/operator/index.ts',
  '#features/virt-api/index.ts',
  '#features/virt-controller/index.ts',
  '#machine/control-plane/addons.ts',
  '#machine/pki/certificates.ts',
  '#machine/up.ts',
  '#cli/app.ts',
  '#cli/commands/machine/up.ts',
  '#cli/commands/machine/walk.ts',
  '#client/node/kubeconfig.ts',
  '#runtime/health/health-server.ts',
  '#runtime/leader-election/elector.ts',
  '#runtime/manager/manager.ts',
  '#runtime/recorder/recorder.ts',
  '#runtime/webhook/admission-server.ts',
  '../src/cmd/process-log.ts',
]
for (const door of doors) await import(door)
