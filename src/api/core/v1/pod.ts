import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { Affinity, Toleration, TopologySpreadConstraint } from './affinity.ts'
import type { Container, ContainerStatus, EphemeralContainer, ResourceRequirements } from './container.ts'
import type { LocalObjectReference } from './references.ts'
import type { PodSecurityContext } from './security-context.ts'
import type { Volume } from './volume.ts'

/** Containers that are scheduled to one node, started and stopped together. */
export interface Pod extends ApiObject {
  /** Desired state of the pod. */
  spec: PodSpec
  /** Observed state of the pod. */
  status?: PodStatus
}

/** Template of the pods of a workload. */
export interface PodTemplateSpec {
  /** Labels and annotations of the pods. */
  metadata?: ObjectMeta
  /** Spec of the pods. */
  spec: PodSpec
}

/** Desired state of a pod. */
export interface PodSpec {
  /**
   * Volumes that containers mount.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  volumes?: Volume[]
  /**
   * Init containers, run one after another before the other containers start.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  initContainers?: Container[]
  /**
   * Containers of the pod.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  containers: Container[]
  /**
   * Ephemeral containers, added to a running pod for debugging.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  ephemeralContainers?: EphemeralContainer[]
  /**
   * Restart policy of the containers: Always, OnFailure or Never.
   * @default Always
   */
  restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  /**
   * Seconds between the request to stop the containers and their forced termination.
   * @default 30
   */
  terminationGracePeriodSeconds?: Int64
  /** Seconds after which the pod is stopped and marked as failed. */
  activeDeadlineSeconds?: Int64
  /**
   * DNS policy of the pod.
   * @default ClusterFirst
   */
  dnsPolicy?: string
  /**
   * Labels that a node must have to run the pod.
   * @mapType atomic
   */
  nodeSelector?: Record<string, string>
  /** Name of the ServiceAccount that the pod runs as. */
  serviceAccountName?: string
  /** Deprecated alias of serviceAccountName. */
  serviceAccount?: string
  /** True if an API token is mounted. */
  automountServiceAccountToken?: boolean
  /** Name of the node that the pod is bound to. */
  nodeName?: string
  /** True if the pod uses the network namespace of the node. */
  hostNetwork?: boolean
  /** True if the pod uses the process ID namespace of the node. */
  hostPID?: boolean
  /** True if the pod uses the IPC namespace of the node. */
  hostIPC?: boolean
  /** True if the containers share one process ID namespace. */
  shareProcessNamespace?: boolean
  /**
   * Security context of all containers.
   * @default {}
   */
  securityContext?: PodSecurityContext
  /**
   * Secrets with registry credentials for pulling images.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  imagePullSecrets?: LocalObjectReference[]
  /** Host name of the pod. */
  hostname?: string
  /** Host name inside the pod. Takes precedence over all other settings of the host name. */
  hostnameOverride?: string
  /** Subdomain of the pod. */
  subdomain?: string
  /** Affinity and anti-affinity rules for scheduling the pod. */
  affinity?: Affinity
  /**
   * Name of the scheduler that binds the pod.
   * @default default-scheduler
   */
  schedulerName?: string
  /**
   * Taints that the pod tolerates.
   * @listType atomic
   */
  tolerations?: Toleration[]
  /**
   * Entries for /etc/hosts.
   * @listType map key=ip
   * @patchStrategy merge key=ip
   */
  hostAliases?: HostAlias[]
  /** Name of the priority class. */
  priorityClassName?: string
  /** Priority of the pod, from the priority class. */
  priority?: Int32
  /** DNS settings of the pod. */
  dnsConfig?: PodDNSConfig
  /**
   * Additional conditions that must be True before the pod is ready.
   * @listType atomic
   */
  readinessGates?: PodReadinessGate[]
  /** Name of the RuntimeClass that the pod runs with. */
  runtimeClassName?: string
  /**
   * True if environment variables for services are set in the containers. Defaults to true for
   * pods. Pod templates are not defaulted.
   */
  enableServiceLinks?: boolean
  /** Preemption policy: PreemptLowerPriority or Never. */
  preemptionPolicy?: string
  /** Resources that the pod needs besides those of its containers. */
  overhead?: Record<string, Quantity>
  /**
   * Constraints for spreading pods over topology domains.
   * @listType map key=topologyKey,whenUnsatisfiable
   * @patchStrategy merge key=topologyKey
   */
  topologySpreadConstraints?: TopologySpreadConstraint[]
  /** True if the host name of the pod is its fully qualified domain name. */
  setHostnameAsFQDN?: boolean
  /** Operating system of the pod. */
  os?: PodOS
  /**
   * True if the pod uses the user namespace of the node; false if the pod has a separate user
   * namespace.
   */
  hostUsers?: boolean
  /**
   * Gates that must be removed before the pod is scheduled.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  schedulingGates?: PodSchedulingGate[]
  /**
   * Claims for devices.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  resourceClaims?: PodResourceClaim[]
  /** Resources of the pod as a whole. */
  resources?: ResourceRequirements
}

/** Entry of /etc/hosts. */
export interface HostAlias {
  /** IP address. */
  ip: string
  /**
   * Host names of the address.
   * @listType atomic
   */
  hostnames?: string[]
}

/** DNS settings of a pod. */
export interface PodDNSConfig {
  /**
   * Addresses of the name servers.
   * @listType atomic
   */
  nameservers?: string[]
  /**
   * Search domains.
   * @listType atomic
   */
  searches?: string[]
  /**
   * Options of the resolver.
   * @listType atomic
   */
  options?: PodDNSConfigOption[]
}

/** An option of the resolver. */
export interface PodDNSConfigOption {
  /** Name of the option. */
  name?: string
  /** Value of the option. */
  value?: string
}

/** Additional condition that must be True before the pod is ready. */
export interface PodReadinessGate {
  /** Type of the condition. */
  conditionType: string
}

/** Operating system of a pod. */
export interface PodOS {
  /** Name of the operating system: linux or windows. */
  name: string
}

/** Gate that must be removed before the pod is scheduled. */
export interface PodSchedulingGate {
  /** Name of the gate. */
  name: string
}

/** Claim for devices. */
export interface PodResourceClaim {
  /** Name of the claim, unique within the pod. */
  name: string
  /** Name of an existing ResourceClaim. */
  resourceClaimName?: string
  /** Name of a ResourceClaimTemplate that a ResourceClaim is created from. */
  resourceClaimTemplateName?: string
}

/** Phase of the life cycle of a pod. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

/** Observed state of a pod. */
export interface PodStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Phase of the life cycle of the pod. */
  phase?: PodPhase
  /**
   * Conditions of the pod.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: PodCondition[]
  /** Human-readable explanation of the phase. */
  message?: string
  /** Reason of the phase, as one CamelCase word: Evicted. */
  reason?: string
  /** Name of the node on which preemption frees resources for the pod. */
  nominatedNodeName?: string
  /** IP address of the node. */
  hostIP?: string
  /**
   * IP addresses of the node.
   * @listType atomic
   * @patchStrategy merge key=ip
   */
  hostIPs?: HostIP[]
  /** IP address of the pod. */
  podIP?: string
  /**
   * IP addresses of the pod.
   * @listType map key=ip
   * @patchStrategy merge key=ip
   */
  podIPs?: PodIP[]
  /** Time when the kubelet first observed the pod. */
  startTime?: Time
  /**
   * Statuses of the init containers.
   * @listType atomic
   */
  initContainerStatuses?: ContainerStatus[]
  /**
   * Statuses of the containers.
   * @listType atomic
   */
  containerStatuses?: ContainerStatus[]
  /** Quality of service class: Guaranteed, Burstable or BestEffort. */
  qosClass?: string
  /**
   * Statuses of the ephemeral containers.
   * @listType atomic
   */
  ephemeralContainerStatuses?: ContainerStatus[]
  /** Progress of an in-place resize of the pod. */
  resize?: string
  /**
   * Statuses of the claims for devices.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  resourceClaimStatuses?: PodResourceClaimStatus[]
  /** Resources allocated to the pod. */
  allocatedResources?: Record<string, Quantity>
  /** Resources in effect for the pod. */
  resources?: ResourceRequirements
}

/** Condition of a pod. */
export interface PodCondition {
  /** Type of the condition: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget. */
  type: string
  /** Generation of the spec that the condition describes. */
  observedGeneration?: Int64
  /** Status of the condition: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** Time of the last check of the condition. */
  lastProbeTime?: Time | null
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time | null
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}

/** IP address of a node. */
export interface HostIP {
  /** IP address. */
  ip: string
}

/** IP address of a pod. */
export interface PodIP {
  /** IP address. */
  ip: string
}

/** Status of a claim for devices. */
export interface PodResourceClaimStatus {
  /** Name of the claim in the pod. */
  name: string
  /** Name of the ResourceClaim that was created for the claim. */
  resourceClaimName?: string
}
