import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Host, Program } from '../host/host.ts'
import { addressesOf, clusterDomain, controlPlaneAddress, podNetwork } from '../host/network.ts'
import { libraryPath, packagePath } from '../programs/build.ts'
import type { Folders, Settings } from '../settings.ts'
import { credentialPath } from './credentials.ts'

/** Names of the images that every node has from the beginning. */
export const pauseImage = 'localhost/pause:1'
export const busyboxImage = 'localhost/busybox:1'

/** A node of the cluster. */
export interface Node {
  readonly host: Host
  /** From 1. */
  readonly number: number
}

/** Returns the container runtime, which works before the API server does. */
export function containerRuntime({ host }: Node): Program {
  return { name: 'containerd', flags: { config: join(host.folder, 'containerd.toml') } }
}

/** Returns the kubelet and kube-proxy. */
export function nodePrograms({ host, number }: Node, folders: Folders, { features, kubeletRoot }: Settings): readonly Program[] {
  return [
    {
      name: 'kubelet',
      flags: {
        config: join(host.folder, 'kubelet.yaml'),
        kubeconfig: credentialPath(folders, `kubelet-${host.name}.kubeconfig`),
        'hostname-override': host.name,
        'node-ip': addressesOf(number).node,
        'feature-gates': features,
        'root-dir': kubeletRoot,
      },
    },
    {
      name: 'kube-proxy',
      flags: {
        kubeconfig: credentialPath(folders, 'proxy.kubeconfig'),
        'proxy-mode': 'nftables',
        'hostname-override': host.name,
        'cluster-cidr': podNetwork,
        'metrics-bind-address': '127.0.0.1:10249',
        'healthz-bind-address': '127.0.0.1:10256',
        // 0 leaves settings alone that belong to the whole machine.
        'conntrack-max-per-core': '0',
        'conntrack-tcp-timeout-established': '0',
        'conntrack-tcp-timeout-close-wait': '0',
      },
      // For the program nft of the unpacked packages.
      environment: { LD_LIBRARY_PATH: libraryPath(folders.programs) },
    },
  ]
}

/** Writes the configuration of a node's programs. */
export async function configureNode(node: Node, folders: Folders, settings: Settings): Promise<void> {
  const { folder } = node.host
  await mkdir(join(folder, 'cni'), { recursive: true })
  await writeFile(join(folder, 'cni', '10-pods.conflist'), JSON.stringify(podNetworkConfiguration(node)))
  await writeFile(join(folder, 'containerd.toml'), containerdConfiguration(node, folders))
  await writeFile(join(folder, 'kubelet.yaml'), stringify(kubeletConfiguration(node, folders, settings)))
  await writeFile(join(folder, 'resolv.conf'), `search ${clusterDomain}\n`)
}

function podNetworkConfiguration({ number }: Node): object {
  const { pods, gateway } = addressesOf(number)
  const ipam = { type: 'host-local', ranges: [[{ subnet: pods, gateway }]], routes: [{ dst: '0.0.0.0/0' }] }
  const bridge = { type: 'bridge', bridge: 'pods', isGateway: true, hairpinMode: true, ipam }
  return { cniVersion: '1.0.0', name: 'pods', plugins: [bridge] }
}

/** A registry, and the authority of its certificate in PEM. */
export interface TrustedRegistry {
  readonly host: string
  readonly authority: string
}

/** Lets the container runtime of a node pull from a registry. */
export async function trustRegistry(node: Host, { host, authority }: TrustedRegistry): Promise<void> {
  const folder = join(registriesOf(node), host)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'ca.pem'), authority)
  await writeFile(join(folder, 'hosts.toml'), `[host."https://${host}"]\n  ca = "${join(folder, 'ca.pem')}"\n`)
}

/** Takes back what {@link trustRegistry} did. */
export async function distrustRegistry(node: Host, { host }: Pick<TrustedRegistry, 'host'>): Promise<void> {
  await rm(join(registriesOf(node), host), { recursive: true })
}

/** Folder with a folder for each registry. The runtime reads it at each pull. */
function registriesOf({ folder }: Host): string {
  return join(folder, 'registries')
}

function containerdConfiguration({ host }: Node, { programs }: Folders): string {
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.internal.v1.opt']
  path = "/var/lib/containerd/opt"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${pauseImage}"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = "${registriesOf(host)}"
[plugins.'io.containerd.cri.v1.runtime']
  # Root without CAP_SYS_RESOURCE cannot protect containers from the OOM killer.
  restrict_oom_score_adj = true
  # Workers of volumes are not root, and open block devices.
  device_ownership_from_security_context = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["${packagePath(programs, 'usr/lib/cni')}"]
    conf_dir = "${join(host.folder, 'cni')}"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "${packagePath(programs, 'usr/sbin/runc')}"
      SystemdCgroup = false
[plugins.'io.containerd.nri.v1.nri']
  disable = true
`
}

function kubeletConfiguration({ host, number }: Node, folders: Folders, { features }: Settings): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addressesOf(number).node,
    readOnlyPort: 0,
    healthzBindAddress: '127.0.0.1',
    tlsCertFile: credentialPath(folders, `kubelet-${host.name}.crt`),
    tlsPrivateKeyFile: credentialPath(folders, `kubelet-${host.name}.key`),
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: credentialPath(folders, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    // The default is a folder in the machine's /usr.
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${host.cgroup.path}`,
    failSwapOn: false,
    failCgroupV1: false,
    resolvConf: join(host.folder, 'resolv.conf'),
    clusterDomain,
    clusterDNS: [controlPlaneAddress],
    // All nodes share the machine's disk, which may be nearly full before the cluster starts.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    maxPods: 200,
    // Tests that kill containers need not wait for minutes.
    ...(features.includes('KubeletCrashLoopBackOffMax=true') ? { crashLoopBackOff: { maxContainerRestartPeriod: '2s' } } : {}),
    serializeImagePulls: false,
  }
}
