import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/** A machine, real or logical, that runs pods. */
export interface Node extends ApiObject {
  /** What is wanted of the node. */
  spec?: NodeSpec
  /** What is known of the node. */
  status?: NodeStatus
}

/** What is wanted of a node. */
export interface NodeSpec {
  /** Range of pod addresses on the node. */
  podCIDR?: string
  /**
   * Ranges of pod addresses on the node, one per IP family.
   * @listType set
   * @patchStrategy merge
   */
  podCIDRs?: string[]
  /** Name by which the infrastructure provider knows the node. */
  providerID?: string
  /** True keeps new pods away. */
  unschedulable?: boolean
  /**
   * Marks that keep away pods which do not tolerate them.
   * @listType atomic
   */
  taints?: Taint[]
}

/** A mark that keeps pods away from a node. */
export interface Taint {
  /** Name of the mark. */
  key: string
  /** Value of the mark. */
  value?: string
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  /** When a NoExecute taint was added. */
  timeAdded?: Time
}

/** What is known of a node. */
export interface NodeStatus {
  /** What the machine has. */
  capacity?: Record<string, Quantity>
  /** What of it pods may use. */
  allocatable?: Record<string, Quantity>
  /** Deprecated and unused. */
  phase?: string
  /**
   * The state of the node, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: NodeCondition[]
  /**
   * Where the node can be reached.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  addresses?: NodeAddress[]
  /** Ports of the daemons on the node. */
  daemonEndpoints?: NodeDaemonEndpoints
  /** What the node is made of. */
  nodeInfo?: NodeSystemInfo
  /**
   * Images on the node.
   * @listType atomic
   */
  images?: ContainerImage[]
  /**
   * Attachable volumes in use.
   * @listType atomic
   */
  volumesInUse?: string[]
  /**
   * Attached volumes.
   * @listType atomic
   */
  volumesAttached?: AttachedVolume[]
  /** The configuration of the node agent, when it is managed. */
  config?: NodeConfigStatus
  /**
   * What the container runtimes on the node can do.
   * @listType atomic
   */
  runtimeHandlers?: NodeRuntimeHandler[]
  /** What the node's software supports. */
  features?: NodeFeatures
  /**
   * Features that pods may ask for by name.
   * @listType atomic
   */
  declaredFeatures?: string[]
}

/** One aspect of the state of a node. */
export interface NodeCondition {
  /** Name of the aspect: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last checked. */
  lastHeartbeatTime?: Time
  /** When the status last changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** One address of a node. */
export interface NodeAddress {
  /** Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS. */
  type: string
  /** The address. */
  address: string
}

/** Ports of the daemons on a node. */
export interface NodeDaemonEndpoints {
  /** Where the kubelet listens. */
  kubeletEndpoint?: DaemonEndpoint
}

/** A port of a daemon. */
export interface DaemonEndpoint {
  /** Port number. */
  Port: Int32
}

/** What a node is made of. */
export interface NodeSystemInfo {
  /** Identifies the machine within the cluster. */
  machineID: string
  /** Identifies the machine, from its firmware. */
  systemUUID: string
  /** Changes with every boot. */
  bootID: string
  /** Version of the kernel. */
  kernelVersion: string
  /** Name of the operating system's release. */
  osImage: string
  /** Version of what runs containers. */
  containerRuntimeVersion: string
  /** Version of the kubelet. */
  kubeletVersion: string
  /** Version of the service proxy; deprecated. */
  kubeProxyVersion: string
  /** Operating system: `linux`. */
  operatingSystem: string
  /** Processor architecture: `amd64`, `arm64`. */
  architecture: string
  /** Swap of the node. */
  swap?: NodeSwapStatus
}

/** Swap of a node. */
export interface NodeSwapStatus {
  /** Bytes of swap. */
  capacity?: Int64
}

/** An image on a node. */
export interface ContainerImage {
  /**
   * Names of the image.
   * @listType atomic
   */
  names?: string[]
  /** Size in bytes. */
  sizeBytes?: Int64
}

/** A volume that is attached to a node. */
export interface AttachedVolume {
  /** Name of the volume. */
  name: string
  /** Device path on the node. */
  devicePath: string
}

/** What one container runtime on a node can do. */
export interface NodeRuntimeHandler {
  /** Name of the runtime; empty is the default one. */
  name?: string
  /** What it supports. */
  features?: NodeRuntimeHandlerFeatures
}

/** What a container runtime supports. */
export interface NodeRuntimeHandlerFeatures {
  /** Recursive read-only mounts. */
  recursiveReadOnlyMounts?: boolean
  /** User namespaces. */
  userNamespaces?: boolean
}

/** What a node's software supports. */
export interface NodeFeatures {
  /** Supplemental groups policy. */
  supplementalGroupsPolicy?: boolean
}

/** The configuration of a node agent. */
export interface NodeConfigStatus {
  /** What was assigned. */
  assigned?: NodeConfigSource
  /** What is in use. */
  active?: NodeConfigSource
  /** What is fallen back to. */
  lastKnownGood?: NodeConfigSource
  /** What is wrong with the assigned configuration. */
  error?: string
}

/** Where a node agent's configuration comes from. */
export interface NodeConfigSource {
  /** A ConfigMap. */
  configMap?: ObjectReference
}
