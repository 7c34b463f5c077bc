import type { Int32, Int64, IntOrString, Quantity, Time } from '#api/scalars.ts'
import type { Capabilities, SeccompProfile, SELinuxOptions, AppArmorProfile, WindowsSecurityContextOptions } from './security-context.ts'

/** A process of a pod, with its image, environment, mounts and probes. */
export interface Container {
  /** Name, unique within the pod. */
  name: string
  /** Image reference. */
  image?: string
  /**
   * Replaces the image's entry point.
   * @listType atomic
   */
  command?: string[]
  /**
   * Arguments of the entry point.
   * @listType atomic
   */
  args?: string[]
  /** Working directory. */
  workingDir?: string
  /**
   * Ports that the container listens on; informative.
   * @listType map key=containerPort,protocol
   * @patchStrategy merge key=containerPort
   */
  ports?: ContainerPort[]
  /**
   * Sources of many environment variables at once; later ones win.
   * @listType atomic
   */
  envFrom?: EnvFromSource[]
  /**
   * Environment variables.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  env?: EnvVar[]
  /** Compute resources asked for and allowed. */
  resources?: ResourceRequirements
  /**
   * Action when the container is resized in place.
   * @listType atomic
   */
  resizePolicy?: ContainerResizePolicy[]
  /** For init containers: Always makes it a sidecar. */
  restartPolicy?: string
  /**
   * Restart decisions by exit code.
   * @listType atomic
   */
  restartPolicyRules?: ContainerRestartRule[]
  /**
   * Volumes of the pod to mount.
   * @listType map key=mountPath
   * @patchStrategy merge key=mountPath
   */
  volumeMounts?: VolumeMount[]
  /**
   * Raw block volumes of the pod.
   * @listType map key=devicePath
   * @patchStrategy merge key=devicePath
   */
  volumeDevices?: VolumeDevice[]
  /** Failing restarts the container. */
  livenessProbe?: Probe
  /** Failing takes the pod out of service. */
  readinessProbe?: Probe
  /** Holds back the other probes until it succeeds once. */
  startupProbe?: Probe
  /** Hooks after start and before stop. */
  lifecycle?: Lifecycle
  /**
   * File whose content becomes the termination message.
   * @default /dev/termination-log
   */
  terminationMessagePath?: string
  /**
   * Where the termination message comes from.
   * @default File
   */
  terminationMessagePolicy?: string
  /** Always, Never or IfNotPresent. */
  imagePullPolicy?: string
  /** Privileges of the container. */
  securityContext?: SecurityContext
  /** Keeps standard input open. */
  stdin?: boolean
  /** Closes standard input after the first attach. */
  stdinOnce?: boolean
  /** Allocates a terminal. */
  tty?: boolean
}

/** A container that is added to a running pod for debugging. */
export interface EphemeralContainer extends Container {
  /** The container whose processes it looks at. */
  targetContainerName?: string
}

/** A port of a container. */
export interface ContainerPort {
  /** Name for services to refer to. */
  name?: string
  /** Port on the node. */
  hostPort?: Int32
  /** Port in the pod. */
  containerPort: Int32
  /**
   * TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Address on the node. */
  hostIP?: string
}

/** A source of many environment variables. */
export interface EnvFromSource {
  /** Put before every name. */
  prefix?: string
  /** All keys of a ConfigMap. */
  configMapRef?: ConfigMapEnvSource
  /** All keys of a Secret. */
  secretRef?: SecretEnvSource
}

/** All keys of a ConfigMap. */
export interface ConfigMapEnvSource {
  /** Name of the ConfigMap. */
  name?: string
  /** Whether it may be missing. */
  optional?: boolean
}

/** All keys of a Secret. */
export interface SecretEnvSource {
  /** Name of the Secret. */
  name?: string
  /** Whether it may be missing. */
  optional?: boolean
}

/** An environment variable. */
export interface EnvVar {
  /** Name of the variable. */
  name: string
  /** Value; `$(OTHER)` is replaced. */
  value?: string
  /** Where the value comes from. */
  valueFrom?: EnvVarSource
}

/** Where the value of an environment variable comes from. */
export interface EnvVarSource {
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector
  /** A resource of a container. */
  resourceFieldRef?: ResourceFieldSelector
  /** A key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector
  /** A key of a Secret. */
  secretKeyRef?: SecretKeySelector
  /** A key of a file in a volume. */
  fileKeyRef?: FileKeySelector
}

/**
 * A field of the pod.
 * @mapType atomic
 */
export interface ObjectFieldSelector {
  /**
   * Version of the schema that the path is written for.
   * @default v1
   */
  apiVersion?: string
  /** Path of the field: `metadata.name`. */
  fieldPath: string
}

/**
 * A resource of a container.
 * @mapType atomic
 */
export interface ResourceFieldSelector {
  /** The container; needed in volumes. */
  containerName?: string
  /** The resource: `limits.memory`. */
  resource: string
  /** Unit to express it in. */
  divisor?: Quantity
}

/**
 * A key of a ConfigMap.
 * @mapType atomic
 */
export interface ConfigMapKeySelector {
  /** Name of the ConfigMap. */
  name?: string
  /** The key. */
  key: string
  /** Whether it may be missing. */
  optional?: boolean
}

/**
 * A key of a Secret.
 * @mapType atomic
 */
export interface SecretKeySelector {
  /** Name of the Secret. */
  name?: string
  /** The key. */
  key: string
  /** Whether it may be missing. */
  optional?: boolean
}

/**
 * A key of an environment file in a volume.
 * @mapType atomic
 */
export interface FileKeySelector {
  /** Volume with the file. */
  volumeName: string
  /** Path within the volume. */
  path: string
  /** The key. */
  key: string
  /** Whether it may be missing. */
  optional?: boolean
}

/** Compute resources. */
export interface ResourceRequirements {
  /** Most that may be used. */
  limits?: Record<string, Quantity>
  /** Requested amount. */
  requests?: Record<string, Quantity>
  /**
   * Claims of the pod that the container uses.
   * @listType map key=name
   */
  claims?: ResourceClaim[]
}

/** A claim of the pod that a container uses. */
export interface ResourceClaim {
  /** Name of the claim in the pod. */
  name: string
  /** The request within the claim. */
  request?: string
}

/** Action when one resource of a container is resized in place. */
export interface ContainerResizePolicy {
  /** The resource. */
  resourceName: string
  /** NotRequired or RestartContainer. */
  restartPolicy: string
}

/** A restart decision by exit code. */
export interface ContainerRestartRule {
  /** Action. */
  action: string
  /** When. */
  exitCodes?: ContainerRestartRuleOnExitCodes
}

/** Exit codes that a restart rule is for. */
export interface ContainerRestartRuleOnExitCodes {
  /** In or NotIn. */
  operator: string
  /**
   * The exit codes.
   * @listType set
   */
  values?: Int32[]
}

/** A volume as a directory of a container. */
export interface VolumeMount {
  /** Volume of the pod. */
  name: string
  /** Mounts it read-only. */
  readOnly?: boolean
  /** How far read-only reaches. */
  recursiveReadOnly?: string
  /** Where it appears in the container. */
  mountPath: string
  /** A path within the volume. */
  subPath?: string
  /** How mounts spread between host and container. */
  mountPropagation?: string
  /** A path within the volume with variables. */
  subPathExpr?: string
}

/** A raw block volume of a container. */
export interface VolumeDevice {
  /** Volume of the pod. */
  name: string
  /** Where the device appears in the container. */
  devicePath: string
}

/** A question to a container about its health. */
export interface Probe {
  /** A command in the container. */
  exec?: ExecAction
  /** An HTTP GET. */
  httpGet?: HTTPGetAction
  /** A TCP connection. */
  tcpSocket?: TCPSocketAction
  /** A gRPC health check. */
  grpc?: GRPCAction
  /** Seconds to wait after the start. */
  initialDelaySeconds?: Int32
  /**
   * Seconds until an answer is overdue.
   * @default 1
   */
  timeoutSeconds?: Int32
  /**
   * Seconds between two probes.
   * @default 10
   */
  periodSeconds?: Int32
  /**
   * Successes in a row that make it healthy.
   * @default 1
   */
  successThreshold?: Int32
  /**
   * Failures in a row that make it unhealthy.
   * @default 3
   */
  failureThreshold?: Int32
  /** Grace for the container when the probe ends it. */
  terminationGracePeriodSeconds?: Int64
}

/** A command in a container. */
export interface ExecAction {
  /**
   * Program and arguments; no shell.
   * @listType atomic
   */
  command?: string[]
}

/** An HTTP GET. */
export interface HTTPGetAction {
  /**
   * Path of the URL.
   * @default /
   */
  path?: string
  /** Port number or name. */
  port: IntOrString
  /** Host; the pod's address when absent. */
  host?: string
  /**
   * HTTP or HTTPS.
   * @default HTTP
   */
  scheme?: string
  /**
   * Extra headers.
   * @listType atomic
   */
  httpHeaders?: HTTPHeader[]
}

/** A header of an HTTP request. */
export interface HTTPHeader {
  /** Name of the header. */
  name: string
  /** Value of the header. */
  value: string
}

/** A TCP connection. */
export interface TCPSocketAction {
  /** Port number or name. */
  port: IntOrString
  /** Host; the pod's address when absent. */
  host?: string
}

/** A gRPC health check. */
export interface GRPCAction {
  /** Port number. */
  port: Int32
  /**
   * Name of the service to ask about.
   * @default ""
   */
  service?: string
}

/** Hooks of a container. */
export interface Lifecycle {
  /** Runs right after the start. */
  postStart?: LifecycleHandler
  /** Runs before the container is told to stop. */
  preStop?: LifecycleHandler
  /** Signal that stops the container. */
  stopSignal?: string
}

/** Action of a hook. */
export interface LifecycleHandler {
  /** A command in the container. */
  exec?: ExecAction
  /** An HTTP GET. */
  httpGet?: HTTPGetAction
  /** Deprecated; kept for compatibility. */
  tcpSocket?: TCPSocketAction
  /** A pause. */
  sleep?: SleepAction
}

/** A pause. */
export interface SleepAction {
  /** Seconds. */
  seconds: Int64
}

/** Privileges of a container. */
export interface SecurityContext {
  /** Linux capabilities to add and drop. */
  capabilities?: Capabilities
  /** Runs as root on the host. */
  privileged?: boolean
  /** SELinux label. */
  seLinuxOptions?: SELinuxOptions
  /** Windows only. */
  windowsOptions?: WindowsSecurityContextOptions
  /** User id. */
  runAsUser?: Int64
  /** Group id. */
  runAsGroup?: Int64
  /** Refuses to run as root. */
  runAsNonRoot?: boolean
  /** Mounts the image read-only. */
  readOnlyRootFilesystem?: boolean
  /** Whether a process may gain privileges. */
  allowPrivilegeEscalation?: boolean
  /** How /proc is mounted. */
  procMount?: string
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile
}

/** Observed state of a container. */
export interface ContainerStatus {
  /** Name of the container. */
  name: string
  /** State of the container. */
  state?: ContainerState
  /** How it ended the last time. */
  lastState?: ContainerState
  /**
   * Whether it passes its readiness probe.
   * @default false
   */
  ready: boolean
  /**
   * How often it was restarted.
   * @default 0
   */
  restartCount: Int32
  /** Image it runs. */
  image: string
  /** Exact image it runs. */
  imageID: string
  /** Identifies this run: `steadyvm://…`. */
  containerID?: string
  /** Whether it has passed its startup probe. */
  started?: boolean
  /** Resources set aside by the node. */
  allocatedResources?: Record<string, Quantity>
  /** Resources in force. */
  resources?: ResourceRequirements
  /**
   * Mounts in force.
   * @listType map key=mountPath
   * @patchStrategy merge key=mountPath
   */
  volumeMounts?: VolumeMountStatus[]
  /** User it runs as. */
  user?: ContainerUser
  /**
   * Health of its devices.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  allocatedResourcesStatus?: ResourceStatus[]
  /** Signal that stops it. */
  stopSignal?: string
}

/** State of a container; exactly one member is set. */
export interface ContainerState {
  /** It has not started. */
  waiting?: ContainerStateWaiting
  /** It runs. */
  running?: ContainerStateRunning
  /** It has ended. */
  terminated?: ContainerStateTerminated
}

/** A container that has not started. */
export interface ContainerStateWaiting {
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** A container that runs. */
export interface ContainerStateRunning {
  /** Since when. */
  startedAt?: Time | null
}

/** A container that has ended. */
export interface ContainerStateTerminated {
  /**
   * Its exit code.
   * @default 0
   */
  exitCode: Int32
  /** The signal that ended it. */
  signal?: Int32
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
  /** When it started. */
  startedAt?: Time | null
  /** When it ended. */
  finishedAt?: Time | null
  /** Identifies the run. */
  containerID?: string
}

/** A mount in force. */
export interface VolumeMountStatus {
  /** Volume of the pod. */
  name: string
  /** Where it appears. */
  mountPath: string
  /** Whether it is read-only. */
  readOnly?: boolean
  /** How far read-only reaches. */
  recursiveReadOnly?: string
}

/** User that a container runs as. */
export interface ContainerUser {
  /** On Linux. */
  linux?: LinuxContainerUser
}

/** User on Linux. */
export interface LinuxContainerUser {
  /** User id. */
  uid: Int64
  /** Group id. */
  gid: Int64
  /**
   * Further groups.
   * @listType atomic
   */
  supplementalGroups?: Int64[]
}

/** Health of one kind of device of a container. */
export interface ResourceStatus {
  /** Name of the resource. */
  name: string
  /**
   * Health by device.
   * @listType map key=resourceID
   */
  resources?: ResourceHealth[]
}

/** Health of one device. */
export interface ResourceHealth {
  /** The device. */
  resourceID: string
  /** Healthy, Unhealthy or Unknown. */
  health?: string
  /** Why, in a sentence. */
  message?: string
}
