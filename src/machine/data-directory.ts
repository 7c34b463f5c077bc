import { join } from 'node:path'

/** Where everything of one machine-mode cluster lies. Nothing is written outside of `root`. */
export interface DataDirectory {
  readonly root: string
  /** Ports, nodes and identity of the cluster. */
  readonly config: string
  readonly pki: string
  /** What the operator has to know of this machine. */
  readonly platform: string
  /** The admin's kubeconfig, 0600. */
  readonly kubeconfig: string
  readonly database: string
  /** Image store: one folder an image, at its reference. */
  readonly images: string
  /**
   * Other versions of the components than the one that `up` was called with: one folder a version.
   */
  readonly releases: string
  /** Things that can be made again: compiled code, the guest kernel, what QEMU can do. */
  readonly cache: string
  readonly logs: string
  /** Sockets with short paths. */
  readonly run: string
  /** Data of persistent volumes: one folder a volume. */
  readonly volumes: string
  /** Unix user ids of namespaces: one file a range. */
  readonly userRanges: string
  /** Homes of the logical nodes. */
  readonly nodes: string
  /** Home of one logical node's kubelet. */
  node(name: string): NodeDirectory
}

/** Where one logical node keeps its state. */
export interface NodeDirectory {
  readonly root: string
  /** Static pods. */
  readonly manifests: string
  readonly pods: string
  readonly kubeconfig: string
  /** Pid of the supervisor's shell. */
  readonly supervisorPid: string
  /** While this file is there, the supervisor does not restart the kubelet. */
  readonly stop: string
  readonly log: string
}

/** Lays out a data directory. Touches no disk. */
export function dataDirectory(root: string): DataDirectory {
  const nodes = join(root, 'nodes')
  return {
    root,
    config: join(root, 'config.json'),
    pki: join(root, 'pki'),
    platform: join(root, 'platform.json'),
    kubeconfig: join(root, 'kubeconfig'),
    database: join(root, 'apiserver', 'state.db'),
    images: join(root, 'images'),
    releases: join(root, 'releases'),
    cache: join(root, 'cache'),
    logs: join(root, 'logs'),
    run: join(root, 'run'),
    volumes: join(root, 'volumes'),
    userRanges: join(root, 'user-ranges'),
    nodes,
    node(name) {
      const home = join(nodes, name)
      return {
        root: home,
        manifests: join(home, 'manifests'),
        pods: join(home, 'pods'),
        kubeconfig: join(home, 'kubeconfig'),
        supervisorPid: join(home, 'supervisor.pid'),
        stop: join(home, 'stop'),
        log: join(home, 'kubelet.log'),
      }
    },
  }
}

/** The data directory that the environment asks for: `STEADYVM_HOME`, else `~/.steadyvm`. */
export function defaultRoot(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['STEADYVM_HOME']
  return home !== undefined && home !== '' ? home : join(env['HOME'] ?? '/root', '.steadyvm')
}
