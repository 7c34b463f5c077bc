import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/** A machine, real or logical, that runs pods. */
export interface Node extends ApiObject {
  /** Desired state of the node. */
  spec?: NodeSpec
  /** Observed state of the node. */
  status?: NodeStatus
}

/** Desired state of a node. */
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

/** Observed state of a node. */
export interface NodeStatus {
  /** Resources of the machine. */
  capacity?: Record<string, Quantity>
  /** Resources available to pods. */
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
  /** System information of the node. */
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
   * Container runtimes of the node and their features.
   * @listType atomic
   */
  runtimeHandlers?: NodeRuntimeHandler[]
  /** Features of the software of the node. */
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

/** System information of a node. */
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

/** Features of one container runtime. */
export interface NodeRuntimeHandler {
  /** Name of the runtime; empty is the default one. */
  name?: string
  /** Supported features. */
  features?: NodeRuntimeHandlerFeatures
}

/** Features of a container runtime. */
export interface NodeRuntimeHandlerFeatures {
  /** Recursive read-only mounts. */
  recursiveReadOnlyMounts?: boolean
  /** User namespaces. */
  userNamespaces?: boolean
}

/** Features of the software of a node. */
export interface NodeFeatures {
  /** Supplemental groups policy. */
  supplementalGroupsPolicy?: boolean
}

/** The configuration of a node agent. */
export interface NodeConfigStatus {
  /** Assigned configuration. */
  assigned?: NodeConfigSource
  /** Active configuration. */
  active?: NodeConfigSource
  /** Fallback configuration. */
  lastKnownGood?: NodeConfigSource
  /** Error of the assigned configuration. */
  error?: string
}

/** Where a node agent's configuration comes from. */
export interface NodeConfigSource {
  /** A ConfigMap. */
  configMap?: ObjectReference
}
