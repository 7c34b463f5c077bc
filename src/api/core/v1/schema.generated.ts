// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const NodeSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'One condition on a node.',
  properties: {
    key: {
      type: 'string',
      description: 'Label or field.',
    },
    operator: {
      type: 'string',
      description: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const NodeSelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes; all parts must match.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: NodeSelectorRequirement,
      description: 'Conditions on labels.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchFields: {
      type: 'array',
      items: NodeSelectorRequirement,
      description: 'Conditions on fields.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const NodeSelector: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes; any term suffices.',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      items: NodeSelectorTerm,
      description: 'The terms.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
}

export const PreferredSchedulingTerm: StructuralSchema = {
  type: 'object',
  description: 'A weighed condition on nodes.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: '1 to 100.',
    },
    preference: {
      ...NodeSelectorTerm,
      description: 'The condition.',
    },
  },
  required: ['weight', 'preference'],
}

export const NodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about the labels of nodes.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...NodeSelector,
      description: 'Must hold when the pod is placed.',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PreferredSchedulingTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses pods, and says what "near" means.',
  properties: {
    labelSelector: {
      ...LabelSelector,
      description: 'The pods.',
    },
    namespaces: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Their namespaces.',
      'x-kubernetes-list-type': 'atomic',
    },
    topologyKey: {
      type: 'string',
      description: 'Nodes with the same value of this label are near each other.',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Their namespaces, by label.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of this pod whose values the others must have.',
      'x-kubernetes-list-type': 'atomic',
    },
    mismatchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of this pod whose values the others must not have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['topologyKey'],
}

export const WeightedPodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'A weighed rule about other pods.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: '1 to 100.',
    },
    podAffinityTerm: {
      ...PodAffinityTerm,
      description: 'The rule.',
    },
  },
  required: ['weight', 'podAffinityTerm'],
}

export const PodAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about being near other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PodAffinityTerm,
      description: 'Must hold when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: WeightedPodAffinityTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodAntiAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about being away from other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PodAffinityTerm,
      description: 'Must hold when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: WeightedPodAffinityTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Affinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about where a pod goes.',
  properties: {
    nodeAffinity: {
      ...NodeAffinity,
      description: 'By the labels of nodes.',
    },
    podAffinity: {
      ...PodAffinity,
      description: 'Near other pods.',
    },
    podAntiAffinity: {
      ...PodAntiAffinity,
      description: 'Away from other pods.',
    },
  },
}

export const Toleration: StructuralSchema = {
  type: 'object',
  description: 'Lets a pod onto nodes with a taint.',
  properties: {
    key: {
      type: 'string',
      description: 'Taint key; empty with Exists matches all.',
    },
    operator: {
      type: 'string',
      description: 'Exists or Equal.',
    },
    value: {
      type: 'string',
      description: 'Taint value.',
    },
    effect: {
      type: 'string',
      description: 'Taint effect; empty matches all.',
    },
    tolerationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds a NoExecute taint is borne.',
    },
  },
}

export const TopologySpreadConstraint: StructuralSchema = {
  type: 'object',
  description: 'Spreads pods over nodes.',
  properties: {
    maxSkew: {
      type: 'integer',
      format: 'int32',
      description: 'Largest difference between any two domains.',
    },
    topologyKey: {
      type: 'string',
      description: 'Nodes with the same value of this label are one domain.',
    },
    whenUnsatisfiable: {
      type: 'string',
      description: 'DoNotSchedule or ScheduleAnyway.',
    },
    labelSelector: {
      ...LabelSelector,
      description: 'The pods that are counted.',
    },
    minDomains: {
      type: 'integer',
      format: 'int32',
      description: 'Least number of domains.',
    },
    nodeAffinityPolicy: {
      type: 'string',
      description: 'Whether the pod\'s node affinity counts.',
    },
    nodeTaintsPolicy: {
      type: 'string',
      description: 'Whether taints count.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of the pod whose values the counted pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
}

export const ObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to any object.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object; empty when it is cluster-scoped.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    uid: {
      type: 'string',
      description: 'UID of the object.',
    },
    apiVersion: {
      type: 'string',
      description: 'Group and version of the object.',
    },
    resourceVersion: {
      type: 'string',
      description: 'The exact version that is meant.',
    },
    fieldPath: {
      type: 'string',
      description: 'A part of the object, as a path: `spec.containers{compute}`.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const Binding: StructuralSchema = {
  type: 'object',
  description: 'Assigns a pod, named by the metadata, to a node.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    target: {
      ...ObjectReference,
      description: 'The node.',
    },
  },
  required: ['target'],
}

export const ConfigMap: StructuralSchema = {
  type: 'object',
  description: 'Configuration for workloads, as key/value pairs.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    immutable: {
      type: 'boolean',
      description: 'True forbids every further change of the data.',
    },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Text by key.',
    },
    binaryData: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        format: 'byte',
      },
      description: 'Binary data by key; keys must not occur in `data`.',
    },
  },
}

export const ContainerPort: StructuralSchema = {
  type: 'object',
  description: 'A port of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name for services to refer to.',
    },
    hostPort: {
      type: 'integer',
      format: 'int32',
      description: 'Port on the node.',
    },
    containerPort: {
      type: 'integer',
      format: 'int32',
      description: 'Port in the pod.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
      default: 'TCP',
    },
    hostIP: {
      type: 'string',
      description: 'Address on the node.',
    },
  },
  required: ['containerPort'],
}

export const ConfigMapEnvSource: StructuralSchema = {
  type: 'object',
  description: 'All keys of a ConfigMap.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const SecretEnvSource: StructuralSchema = {
  type: 'object',
  description: 'All keys of a Secret.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const EnvFromSource: StructuralSchema = {
  type: 'object',
  description: 'A source of many environment variables.',
  properties: {
    prefix: {
      type: 'string',
      description: 'Put before every name.',
    },
    configMapRef: {
      ...ConfigMapEnvSource,
      description: 'All keys of a ConfigMap.',
    },
    secretRef: {
      ...SecretEnvSource,
      description: 'All keys of a Secret.',
    },
  },
}

export const ObjectFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'A field of the pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Version of the schema that the path is written for.',
      default: 'v1',
    },
    fieldPath: {
      type: 'string',
      description: 'Path of the field: `metadata.name`.',
    },
  },
  required: ['fieldPath'],
  'x-kubernetes-map-type': 'atomic',
}

export const ResourceFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'A resource of a container.',
  properties: {
    containerName: {
      type: 'string',
      description: 'The container; needed in volumes.',
    },
    resource: {
      type: 'string',
      description: 'The resource: `limits.memory`.',
    },
    divisor: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Unit to express it in.',
    },
  },
  required: ['resource'],
  'x-kubernetes-map-type': 'atomic',
}

export const ConfigMapKeySelector: StructuralSchema = {
  type: 'object',
  description: 'A key of a ConfigMap.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    key: {
      type: 'string',
      description: 'The key.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
  required: ['key'],
  'x-kubernetes-map-type': 'atomic',
}

export const SecretKeySelector: StructuralSchema = {
  type: 'object',
  description: 'A key of a Secret.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    key: {
      type: 'string',
      description: 'The key.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
  required: ['key'],
  'x-kubernetes-map-type': 'atomic',
}

export const FileKeySelector: StructuralSchema = {
  type: 'object',
  description: 'A key of an environment file in a volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Volume with the file.',
    },
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
    key: {
      type: 'string',
      description: 'The key.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
  required: ['volumeName', 'path', 'key'],
  'x-kubernetes-map-type': 'atomic',
}

export const EnvVarSource: StructuralSchema = {
  type: 'object',
  description: 'Where the value of an environment variable comes from.',
  properties: {
    fieldRef: {
      ...ObjectFieldSelector,
      description: 'A field of the pod.',
    },
    resourceFieldRef: {
      ...ResourceFieldSelector,
      description: 'A resource of a container.',
    },
    configMapKeyRef: {
      ...ConfigMapKeySelector,
      description: 'A key of a ConfigMap.',
    },
    secretKeyRef: {
      ...SecretKeySelector,
      description: 'A key of a Secret.',
    },
    fileKeyRef: {
      ...FileKeySelector,
      description: 'A key of a file in a volume.',
    },
  },
}

export const EnvVar: StructuralSchema = {
  type: 'object',
  description: 'An environment variable.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the variable.',
    },
    value: {
      type: 'string',
      description: 'Value; `$(OTHER)` is replaced.',
    },
    valueFrom: {
      ...EnvVarSource,
      description: 'Where the value comes from.',
    },
  },
  required: ['name'],
}

export const ResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'A claim of the pod that a container uses.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim in the pod.',
    },
    request: {
      type: 'string',
      description: 'The request within the claim.',
    },
  },
  required: ['name'],
}

export const ResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Compute resources.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Most that may be used.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Requested amount.',
    },
    claims: {
      type: 'array',
      items: ResourceClaim,
      description: 'Claims of the pod that the container uses.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
}

export const ContainerResizePolicy: StructuralSchema = {
  type: 'object',
  description: 'Action when one resource of a container is resized in place.',
  properties: {
    resourceName: {
      type: 'string',
      description: 'The resource.',
    },
    restartPolicy: {
      type: 'string',
      description: 'NotRequired or RestartContainer.',
    },
  },
  required: ['resourceName', 'restartPolicy'],
}

export const ContainerRestartRuleOnExitCodes: StructuralSchema = {
  type: 'object',
  description: 'Exit codes that a restart rule is for.',
  properties: {
    operator: {
      type: 'string',
      description: 'In or NotIn.',
    },
    values: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'The exit codes.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['operator'],
}

export const ContainerRestartRule: StructuralSchema = {
  type: 'object',
  description: 'A restart decision by exit code.',
  properties: {
    action: {
      type: 'string',
      description: 'Action.',
    },
    exitCodes: {
      ...ContainerRestartRuleOnExitCodes,
      description: 'When.',
    },
  },
  required: ['action'],
}

export const VolumeMount: StructuralSchema = {
  type: 'object',
  description: 'A volume as a directory of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Volume of the pod.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    recursiveReadOnly: {
      type: 'string',
      description: 'How far read-only reaches.',
    },
    mountPath: {
      type: 'string',
      description: 'Where it appears in the container.',
    },
    subPath: {
      type: 'string',
      description: 'A path within the volume.',
    },
    mountPropagation: {
      type: 'string',
      description: 'How mounts spread between host and container.',
    },
    subPathExpr: {
      type: 'string',
      description: 'A path within the volume with variables.',
    },
  },
  required: ['name', 'mountPath'],
}

export const VolumeDevice: StructuralSchema = {
  type: 'object',
  description: 'A raw block volume of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Volume of the pod.',
    },
    devicePath: {
      type: 'string',
      description: 'Where the device appears in the container.',
    },
  },
  required: ['name', 'devicePath'],
}

export const ExecAction: StructuralSchema = {
  type: 'object',
  description: 'A command in a container.',
  properties: {
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Program and arguments; no shell.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const HTTPHeader: StructuralSchema = {
  type: 'object',
  description: 'A header of an HTTP request.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the header.',
    },
    value: {
      type: 'string',
      description: 'Value of the header.',
    },
  },
  required: ['name', 'value'],
}

export const HTTPGetAction: StructuralSchema = {
  type: 'object',
  description: 'An HTTP GET.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
      default: '/',
    },
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Port number or name.',
    },
    host: {
      type: 'string',
      description: 'Host; the pod\'s address when absent.',
    },
    scheme: {
      type: 'string',
      description: 'HTTP or HTTPS.',
      default: 'HTTP',
    },
    httpHeaders: {
      type: 'array',
      items: HTTPHeader,
      description: 'Extra headers.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['port'],
}

export const TCPSocketAction: StructuralSchema = {
  type: 'object',
  description: 'A TCP connection.',
  properties: {
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Port number or name.',
    },
    host: {
      type: 'string',
      description: 'Host; the pod\'s address when absent.',
    },
  },
  required: ['port'],
}

export const GRPCAction: StructuralSchema = {
  type: 'object',
  description: 'A gRPC health check.',
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    service: {
      type: 'string',
      description: 'Name of the service to ask about.',
      default: '',
    },
  },
  required: ['port'],
}

export const Probe: StructuralSchema = {
  type: 'object',
  description: 'A question to a container about its health.',
  properties: {
    exec: {
      ...ExecAction,
      description: 'A command in the container.',
    },
    httpGet: {
      ...HTTPGetAction,
      description: 'An HTTP GET.',
    },
    tcpSocket: {
      ...TCPSocketAction,
      description: 'A TCP connection.',
    },
    grpc: {
      ...GRPCAction,
      description: 'A gRPC health check.',
    },
    initialDelaySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds to wait after the start.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds until an answer is overdue.',
      default: 1,
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between two probes.',
      default: 10,
    },
    successThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Successes in a row that make it healthy.',
      default: 1,
    },
    failureThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Failures in a row that make it unhealthy.',
      default: 3,
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Grace for the container when the probe ends it.',
    },
  },
}

export const SleepAction: StructuralSchema = {
  type: 'object',
  description: 'A pause.',
  properties: {
    seconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds.',
    },
  },
  required: ['seconds'],
}

export const LifecycleHandler: StructuralSchema = {
  type: 'object',
  description: 'Action of a hook.',
  properties: {
    exec: {
      ...ExecAction,
      description: 'A command in the container.',
    },
    httpGet: {
      ...HTTPGetAction,
      description: 'An HTTP GET.',
    },
    tcpSocket: {
      ...TCPSocketAction,
      description: 'Deprecated; kept for compatibility.',
    },
    sleep: {
      ...SleepAction,
      description: 'A pause.',
    },
  },
}

export const Lifecycle: StructuralSchema = {
  type: 'object',
  description: 'Hooks of a container.',
  properties: {
    postStart: {
      ...LifecycleHandler,
      description: 'Runs right after the start.',
    },
    preStop: {
      ...LifecycleHandler,
      description: 'Runs before the container is told to stop.',
    },
    stopSignal: {
      type: 'string',
      description: 'Signal that stops the container.',
    },
  },
}

export const Capabilities: StructuralSchema = {
  type: 'object',
  description: 'Linux capabilities to add and drop.',
  properties: {
    add: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Added ones.',
      'x-kubernetes-list-type': 'atomic',
    },
    drop: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Dropped ones.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const SELinuxOptions: StructuralSchema = {
  type: 'object',
  description: 'SELinux label.',
  properties: {
    user: {
      type: 'string',
      description: 'User part.',
    },
    role: {
      type: 'string',
      description: 'Role part.',
    },
    type: {
      type: 'string',
      description: 'Type part.',
    },
    level: {
      type: 'string',
      description: 'Level part.',
    },
  },
}

export const WindowsSecurityContextOptions: StructuralSchema = {
  type: 'object',
  description: 'Options for Windows containers.',
  properties: {
    gmsaCredentialSpecName: {
      type: 'string',
      description: 'Name of the credential spec.',
    },
    gmsaCredentialSpec: {
      type: 'string',
      description: 'The credential spec.',
    },
    runAsUserName: {
      type: 'string',
      description: 'User name.',
    },
    hostProcess: {
      type: 'boolean',
      description: 'Runs in the host\'s process.',
    },
  },
}

export const SeccompProfile: StructuralSchema = {
  type: 'object',
  description: 'Seccomp profile.',
  properties: {
    type: {
      type: 'string',
      description: 'Localhost, RuntimeDefault or Unconfined.',
    },
    localhostProfile: {
      type: 'string',
      description: 'File of a Localhost profile.',
    },
  },
  required: ['type'],
}

export const AppArmorProfile: StructuralSchema = {
  type: 'object',
  description: 'AppArmor profile.',
  properties: {
    type: {
      type: 'string',
      description: 'Localhost, RuntimeDefault or Unconfined.',
    },
    localhostProfile: {
      type: 'string',
      description: 'Name of a Localhost profile.',
    },
  },
  required: ['type'],
}

export const SecurityContext: StructuralSchema = {
  type: 'object',
  description: 'Privileges of a container.',
  properties: {
    capabilities: {
      ...Capabilities,
      description: 'Linux capabilities to add and drop.',
    },
    privileged: {
      type: 'boolean',
      description: 'Runs as root on the host.',
    },
    seLinuxOptions: {
      ...SELinuxOptions,
      description: 'SELinux label.',
    },
    windowsOptions: {
      ...WindowsSecurityContextOptions,
      description: 'Windows only.',
    },
    runAsUser: {
      type: 'integer',
      format: 'int64',
      description: 'User id.',
    },
    runAsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'Group id.',
    },
    runAsNonRoot: {
      type: 'boolean',
      description: 'Refuses to run as root.',
    },
    readOnlyRootFilesystem: {
      type: 'boolean',
      description: 'Mounts the image read-only.',
    },
    allowPrivilegeEscalation: {
      type: 'boolean',
      description: 'Whether a process may gain privileges.',
    },
    procMount: {
      type: 'string',
      description: 'How /proc is mounted.',
    },
    seccompProfile: {
      ...SeccompProfile,
      description: 'Seccomp profile.',
    },
    appArmorProfile: {
      ...AppArmorProfile,
      description: 'AppArmor profile.',
    },
  },
}

export const Container: StructuralSchema = {
  type: 'object',
  description: 'A process of a pod, with its image, environment, mounts and probes.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the pod.',
    },
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Replaces the image\'s entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    args: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Arguments of the entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    workingDir: {
      type: 'string',
      description: 'Working directory.',
    },
    ports: {
      type: 'array',
      items: ContainerPort,
      description: 'Ports that the container listens on; informative.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
    envFrom: {
      type: 'array',
      items: EnvFromSource,
      description: 'Sources of many environment variables at once; later ones win.',
      'x-kubernetes-list-type': 'atomic',
    },
    env: {
      type: 'array',
      items: EnvVar,
      description: 'Environment variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources asked for and allowed.',
    },
    resizePolicy: {
      type: 'array',
      items: ContainerResizePolicy,
      description: 'Action when the container is resized in place.',
      'x-kubernetes-list-type': 'atomic',
    },
    restartPolicy: {
      type: 'string',
      description: 'For init containers: Always makes it a sidecar.',
    },
    restartPolicyRules: {
      type: 'array',
      items: ContainerRestartRule,
      description: 'Restart decisions by exit code.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMount,
      description: 'Volumes of the pod to mount.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    volumeDevices: {
      type: 'array',
      items: VolumeDevice,
      description: 'Raw block volumes of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['devicePath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'devicePath',
    },
    livenessProbe: {
      ...Probe,
      description: 'Failing restarts the container.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Failing takes the pod out of service.',
    },
    startupProbe: {
      ...Probe,
      description: 'Holds back the other probes until it succeeds once.',
    },
    lifecycle: {
      ...Lifecycle,
      description: 'Hooks after start and before stop.',
    },
    terminationMessagePath: {
      type: 'string',
      description: 'File whose content becomes the termination message.',
      default: '/dev/termination-log',
    },
    terminationMessagePolicy: {
      type: 'string',
      description: 'Where the termination message comes from.',
      default: 'File',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent.',
    },
    securityContext: {
      ...SecurityContext,
      description: 'Privileges of the container.',
    },
    stdin: {
      type: 'boolean',
      description: 'Keeps standard input open.',
    },
    stdinOnce: {
      type: 'boolean',
      description: 'Closes standard input after the first attach.',
    },
    tty: {
      type: 'boolean',
      description: 'Allocates a terminal.',
    },
  },
  required: ['name'],
}

export const EphemeralContainer: StructuralSchema = {
  type: 'object',
  description: 'A container that is added to a running pod for debugging.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the pod.',
    },
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Replaces the image\'s entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    args: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Arguments of the entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    workingDir: {
      type: 'string',
      description: 'Working directory.',
    },
    ports: {
      type: 'array',
      items: ContainerPort,
      description: 'Ports that the container listens on; informative.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
    envFrom: {
      type: 'array',
      items: EnvFromSource,
      description: 'Sources of many environment variables at once; later ones win.',
      'x-kubernetes-list-type': 'atomic',
    },
    env: {
      type: 'array',
      items: EnvVar,
      description: 'Environment variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources asked for and allowed.',
    },
    resizePolicy: {
      type: 'array',
      items: ContainerResizePolicy,
      description: 'Action when the container is resized in place.',
      'x-kubernetes-list-type': 'atomic',
    },
    restartPolicy: {
      type: 'string',
      description: 'For init containers: Always makes it a sidecar.',
    },
    restartPolicyRules: {
      type: 'array',
      items: ContainerRestartRule,
      description: 'Restart decisions by exit code.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMount,
      description: 'Volumes of the pod to mount.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    volumeDevices: {
      type: 'array',
      items: VolumeDevice,
      description: 'Raw block volumes of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['devicePath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'devicePath',
    },
    livenessProbe: {
      ...Probe,
      description: 'Failing restarts the container.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Failing takes the pod out of service.',
    },
    startupProbe: {
      ...Probe,
      description: 'Holds back the other probes until it succeeds once.',
    },
    lifecycle: {
      ...Lifecycle,
      description: 'Hooks after start and before stop.',
    },
    terminationMessagePath: {
      type: 'string',
      description: 'File whose content becomes the termination message.',
      default: '/dev/termination-log',
    },
    terminationMessagePolicy: {
      type: 'string',
      description: 'Where the termination message comes from.',
      default: 'File',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent.',
    },
    securityContext: {
      ...SecurityContext,
      description: 'Privileges of the container.',
    },
    stdin: {
      type: 'boolean',
      description: 'Keeps standard input open.',
    },
    stdinOnce: {
      type: 'boolean',
      description: 'Closes standard input after the first attach.',
    },
    tty: {
      type: 'boolean',
      description: 'Allocates a terminal.',
    },
    targetContainerName: {
      type: 'string',
      description: 'The container whose processes it looks at.',
    },
  },
  required: ['name'],
}

export const ContainerStateWaiting: StructuralSchema = {
  type: 'object',
  description: 'A container that has not started.',
  properties: {
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
}

export const ContainerStateRunning: StructuralSchema = {
  type: 'object',
  description: 'A container that runs.',
  properties: {
    startedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Since when.',
    },
  },
}

export const ContainerStateTerminated: StructuralSchema = {
  type: 'object',
  description: 'A container that has ended.',
  properties: {
    exitCode: {
      type: 'integer',
      format: 'int32',
      description: 'Its exit code.',
      default: 0,
    },
    signal: {
      type: 'integer',
      format: 'int32',
      description: 'The signal that ended it.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it started.',
    },
    finishedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it ended.',
    },
    containerID: {
      type: 'string',
      description: 'Identifies the run.',
    },
  },
  required: ['exitCode'],
}

export const ContainerState: StructuralSchema = {
  type: 'object',
  description: 'State of a container; exactly one member is set.',
  properties: {
    waiting: {
      ...ContainerStateWaiting,
      description: 'It has not started.',
    },
    running: {
      ...ContainerStateRunning,
      description: 'It runs.',
    },
    terminated: {
      ...ContainerStateTerminated,
      description: 'It has ended.',
    },
  },
}

export const VolumeMountStatus: StructuralSchema = {
  type: 'object',
  description: 'A mount in force.',
  properties: {
    name: {
      type: 'string',
      description: 'Volume of the pod.',
    },
    mountPath: {
      type: 'string',
      description: 'Where it appears.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Whether it is read-only.',
    },
    recursiveReadOnly: {
      type: 'string',
      description: 'How far read-only reaches.',
    },
  },
  required: ['name', 'mountPath'],
}

export const LinuxContainerUser: StructuralSchema = {
  type: 'object',
  description: 'User on Linux.',
  properties: {
    uid: {
      type: 'integer',
      format: 'int64',
      description: 'User id.',
    },
    gid: {
      type: 'integer',
      format: 'int64',
      description: 'Group id.',
    },
    supplementalGroups: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Further groups.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['uid', 'gid'],
}

export const ContainerUser: StructuralSchema = {
  type: 'object',
  description: 'User that a container runs as.',
  properties: {
    linux: {
      ...LinuxContainerUser,
      description: 'On Linux.',
    },
  },
}

export const ResourceHealth: StructuralSchema = {
  type: 'object',
  description: 'Health of one device.',
  properties: {
    resourceID: {
      type: 'string',
      description: 'The device.',
    },
    health: {
      type: 'string',
      description: 'Healthy, Unhealthy or Unknown.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['resourceID'],
}

export const ResourceStatus: StructuralSchema = {
  type: 'object',
  description: 'Health of one kind of device of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the resource.',
    },
    resources: {
      type: 'array',
      items: ResourceHealth,
      description: 'Health by device.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['resourceID'],
    },
  },
  required: ['name'],
}

export const ContainerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the container.',
    },
    state: {
      ...ContainerState,
      description: 'State of the container.',
    },
    lastState: {
      ...ContainerState,
      description: 'How it ended the last time.',
    },
    ready: {
      type: 'boolean',
      description: 'Whether it passes its readiness probe.',
      default: false,
    },
    restartCount: {
      type: 'integer',
      format: 'int32',
      description: 'How often it was restarted.',
      default: 0,
    },
    image: {
      type: 'string',
      description: 'Image it runs.',
    },
    imageID: {
      type: 'string',
      description: 'Exact image it runs.',
    },
    containerID: {
      type: 'string',
      description: 'Identifies this run: `steadyvm://…`.',
    },
    started: {
      type: 'boolean',
      description: 'Whether it has passed its startup probe.',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources set aside by the node.',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources in force.',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMountStatus,
      description: 'Mounts in force.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    user: {
      ...ContainerUser,
      description: 'User it runs as.',
    },
    allocatedResourcesStatus: {
      type: 'array',
      items: ResourceStatus,
      description: 'Health of its devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    stopSignal: {
      type: 'string',
      description: 'Signal that stops it.',
    },
  },
  required: ['name', 'ready', 'restartCount', 'image', 'imageID'],
}

export const EndpointAddress: StructuralSchema = {
  type: 'object',
  description: 'One address.',
  properties: {
    ip: {
      type: 'string',
      description: 'The address.',
    },
    hostname: {
      type: 'string',
      description: 'Host name.',
    },
    nodeName: {
      type: 'string',
      description: 'Node with the address.',
    },
    targetRef: {
      ...ObjectReference,
      description: 'Object with the address.',
    },
  },
  required: ['ip'],
  'x-kubernetes-map-type': 'atomic',
}

export const EndpointPort: StructuralSchema = {
  type: 'object',
  description: 'One port.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
      default: 'TCP',
    },
    appProtocol: {
      type: 'string',
      description: 'Protocol above TCP.',
    },
  },
  required: ['port'],
  'x-kubernetes-map-type': 'atomic',
}

export const EndpointSubset: StructuralSchema = {
  type: 'object',
  description: 'Addresses with the same ports.',
  properties: {
    addresses: {
      type: 'array',
      items: EndpointAddress,
      description: 'Addresses that are ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    notReadyAddresses: {
      type: 'array',
      items: EndpointAddress,
      description: 'Addresses that are not ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    ports: {
      type: 'array',
      items: EndpointPort,
      description: 'Ports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Endpoints: StructuralSchema = {
  type: 'object',
  description: 'The addresses behind a service.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    subsets: {
      type: 'array',
      items: EndpointSubset,
      description: 'Groups of addresses with the same ports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const EventSource: StructuralSchema = {
  type: 'object',
  description: 'Component that reports an event.',
  properties: {
    component: {
      type: 'string',
      description: 'Name of the component.',
    },
    host: {
      type: 'string',
      description: 'Node it runs on.',
    },
  },
}

export const EventSeries: StructuralSchema = {
  type: 'object',
  description: 'A series of equal events.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'How many there were.',
    },
    lastObservedTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the last one was seen.',
    },
  },
}

export const CoreEvent: StructuralSchema = {
  type: 'object',
  description: 'Tells people what happened to an object, and why.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    involvedObject: {
      ...ObjectReference,
      description: 'The object that the event is about.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Description of the event.',
    },
    source: {
      ...EventSource,
      description: 'Component that reports it.',
    },
    firstTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was first seen.',
    },
    lastTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last seen.',
    },
    count: {
      type: 'integer',
      format: 'int32',
      description: 'How often it was seen.',
    },
    type: {
      type: 'string',
      description: 'Normal or Warning.',
    },
    eventTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was first observed, in microseconds.',
    },
    series: {
      ...EventSeries,
      description: 'The series that the event is part of.',
    },
    action: {
      type: 'string',
      description: 'Action taken about the object.',
    },
    related: {
      ...ObjectReference,
      description: 'A second object that plays a part.',
    },
    reportingComponent: {
      type: 'string',
      description: 'Controller that reports: `steadyvm.io/virt-controller`.',
    },
    reportingInstance: {
      type: 'string',
      description: 'The instance of the controller that reports.',
    },
  },
  required: ['involvedObject'],
}

export const LimitRangeItem: StructuralSchema = {
  type: 'object',
  description: 'The limits of one kind of thing.',
  properties: {
    type: {
      type: 'string',
      description: 'Container, Pod or PersistentVolumeClaim.',
    },
    max: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Most that may be asked for.',
    },
    min: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Least that must be asked for.',
    },
    default: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Limits of containers that name none.',
    },
    defaultRequest: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Requests of containers that name none.',
    },
    maxLimitRequestRatio: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'How many times its request a limit may be.',
    },
  },
  required: ['type'],
}

export const LimitRangeSpec: StructuralSchema = {
  type: 'object',
  description: 'The limits of a namespace.',
  properties: {
    limits: {
      type: 'array',
      items: LimitRangeItem,
      description: 'One entry for each kind of thing.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['limits'],
}

export const LimitRange: StructuralSchema = {
  type: 'object',
  description: 'Bounds and defaults for what single objects of a namespace may ask for.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...LimitRangeSpec,
      description: 'The limits.',
    },
  },
}

export const NamespaceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a namespace.',
  properties: {
    finalizers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Finalizers that block the removal of the namespace.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NamespaceCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a namespace.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const NamespaceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a namespace.',
  properties: {
    phase: {
      type: 'string',
      enum: ['Active', 'Terminating'],
      description: 'Active, or Terminating while its content is being removed.',
    },
    conditions: {
      type: 'array',
      items: NamespaceCondition,
      description: 'Reasons why the namespace is not removed.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const Namespace: StructuralSchema = {
  type: 'object',
  description: 'A scope for names, and the unit of deletion.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...NamespaceSpec,
      description: 'Desired state of the namespace.',
    },
    status: {
      ...NamespaceStatus,
      description: 'Observed state of the namespace.',
    },
  },
}

export const Taint: StructuralSchema = {
  type: 'object',
  description: 'A mark that keeps pods away from a node.',
  properties: {
    key: {
      type: 'string',
      description: 'Name of the mark.',
    },
    value: {
      type: 'string',
      description: 'Value of the mark.',
    },
    effect: {
      type: 'string',
      enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
      description: 'NoSchedule, PreferNoSchedule or NoExecute.',
    },
    timeAdded: {
      type: 'string',
      format: 'date-time',
      description: 'When a NoExecute taint was added.',
    },
  },
  required: ['key', 'effect'],
}

export const NodeSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a node.',
  properties: {
    podCIDR: {
      type: 'string',
      description: 'Range of pod addresses on the node.',
    },
    podCIDRs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ranges of pod addresses on the node, one per IP family.',
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    providerID: {
      type: 'string',
      description: 'Name by which the infrastructure provider knows the node.',
    },
    unschedulable: {
      type: 'boolean',
      description: 'True keeps new pods away.',
    },
    taints: {
      type: 'array',
      items: Taint,
      description: 'Marks that keep away pods which do not tolerate them.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NodeCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a node.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastHeartbeatTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const NodeAddress: StructuralSchema = {
  type: 'object',
  description: 'One address of a node.',
  properties: {
    type: {
      type: 'string',
      description: 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.',
    },
    address: {
      type: 'string',
      description: 'The address.',
    },
  },
  required: ['type', 'address'],
}

export const DaemonEndpoint: StructuralSchema = {
  type: 'object',
  description: 'A port of a daemon.',
  properties: {
    Port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
  },
  required: ['Port'],
}

export const NodeDaemonEndpoints: StructuralSchema = {
  type: 'object',
  description: 'Ports of the daemons on a node.',
  properties: {
    kubeletEndpoint: {
      ...DaemonEndpoint,
      description: 'Where the kubelet listens.',
    },
  },
}

export const NodeSwapStatus: StructuralSchema = {
  type: 'object',
  description: 'Swap of a node.',
  properties: {
    capacity: {
      type: 'integer',
      format: 'int64',
      description: 'Bytes of swap.',
    },
  },
}

export const NodeSystemInfo: StructuralSchema = {
  type: 'object',
  description: 'System information of a node.',
  properties: {
    machineID: {
      type: 'string',
      description: 'Identifies the machine within the cluster.',
    },
    systemUUID: {
      type: 'string',
      description: 'Identifies the machine, from its firmware.',
    },
    bootID: {
      type: 'string',
      description: 'Changes with every boot.',
    },
    kernelVersion: {
      type: 'string',
      description: 'Version of the kernel.',
    },
    osImage: {
      type: 'string',
      description: 'Name of the operating system\'s release.',
    },
    containerRuntimeVersion: {
      type: 'string',
      description: 'Version of what runs containers.',
    },
    kubeletVersion: {
      type: 'string',
      description: 'Version of the kubelet.',
    },
    kubeProxyVersion: {
      type: 'string',
      description: 'Version of the service proxy; deprecated.',
    },
    operatingSystem: {
      type: 'string',
      description: 'Operating system: `linux`.',
    },
    architecture: {
      type: 'string',
      description: 'Processor architecture: `amd64`, `arm64`.',
    },
    swap: {
      ...NodeSwapStatus,
      description: 'Swap of the node.',
    },
  },
  required: ['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage', 'containerRuntimeVersion', 'kubeletVersion', 'kubeProxyVersion', 'operatingSystem', 'architecture'],
}

export const ContainerImage: StructuralSchema = {
  type: 'object',
  description: 'An image on a node.',
  properties: {
    names: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the image.',
      'x-kubernetes-list-type': 'atomic',
    },
    sizeBytes: {
      type: 'integer',
      format: 'int64',
      description: 'Size in bytes.',
    },
  },
}

export const AttachedVolume: StructuralSchema = {
  type: 'object',
  description: 'A volume that is attached to a node.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    devicePath: {
      type: 'string',
      description: 'Device path on the node.',
    },
  },
  required: ['name', 'devicePath'],
}

export const NodeConfigSource: StructuralSchema = {
  type: 'object',
  description: 'Where a node agent\'s configuration comes from.',
  properties: {
    configMap: {
      ...ObjectReference,
      description: 'A ConfigMap.',
    },
  },
}

export const NodeConfigStatus: StructuralSchema = {
  type: 'object',
  description: 'The configuration of a node agent.',
  properties: {
    assigned: {
      ...NodeConfigSource,
      description: 'Assigned configuration.',
    },
    active: {
      ...NodeConfigSource,
      description: 'Active configuration.',
    },
    lastKnownGood: {
      ...NodeConfigSource,
      description: 'Fallback configuration.',
    },
    error: {
      type: 'string',
      description: 'Error of the assigned configuration.',
    },
  },
}

export const NodeRuntimeHandlerFeatures: StructuralSchema = {
  type: 'object',
  description: 'Features of a container runtime.',
  properties: {
    recursiveReadOnlyMounts: {
      type: 'boolean',
      description: 'Recursive read-only mounts.',
    },
    userNamespaces: {
      type: 'boolean',
      description: 'User namespaces.',
    },
  },
}

export const NodeRuntimeHandler: StructuralSchema = {
  type: 'object',
  description: 'Features of one container runtime.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the runtime; empty is the default one.',
    },
    features: {
      ...NodeRuntimeHandlerFeatures,
      description: 'Supported features.',
    },
  },
}

export const NodeFeatures: StructuralSchema = {
  type: 'object',
  description: 'Features of the software of a node.',
  properties: {
    supplementalGroupsPolicy: {
      type: 'boolean',
      description: 'Supplemental groups policy.',
    },
  },
}

export const NodeStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a node.',
  properties: {
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources of the machine.',
    },
    allocatable: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources available to pods.',
    },
    phase: {
      type: 'string',
      description: 'Deprecated and unused.',
    },
    conditions: {
      type: 'array',
      items: NodeCondition,
      description: 'The state of the node, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    addresses: {
      type: 'array',
      items: NodeAddress,
      description: 'Where the node can be reached.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    daemonEndpoints: {
      ...NodeDaemonEndpoints,
      description: 'Ports of the daemons on the node.',
    },
    nodeInfo: {
      ...NodeSystemInfo,
      description: 'System information of the node.',
    },
    images: {
      type: 'array',
      items: ContainerImage,
      description: 'Images on the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumesInUse: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Attachable volumes in use.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumesAttached: {
      type: 'array',
      items: AttachedVolume,
      description: 'Attached volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    config: {
      ...NodeConfigStatus,
      description: 'The configuration of the node agent, when it is managed.',
    },
    runtimeHandlers: {
      type: 'array',
      items: NodeRuntimeHandler,
      description: 'Container runtimes of the node and their features.',
      'x-kubernetes-list-type': 'atomic',
    },
    features: {
      ...NodeFeatures,
      description: 'Features of the software of the node.',
    },
    declaredFeatures: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Features that pods may ask for by name.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Node: StructuralSchema = {
  type: 'object',
  description: 'A machine, real or logical, that runs pods.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...NodeSpec,
      description: 'Desired state of the node.',
    },
    status: {
      ...NodeStatus,
      description: 'Observed state of the node.',
    },
  },
}

export const VolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'How much storage.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Most.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Least.',
    },
  },
}

export const TypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds in the same namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const TypedObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds, possibly in another namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object, when it is another one.',
    },
  },
  required: ['kind', 'name'],
}

export const PersistentVolumeClaimSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested storage.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it will be used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...LabelSelector,
      description: 'Which volumes will do.',
    },
    resources: {
      ...VolumeResourceRequirements,
      description: 'How much.',
    },
    volumeName: {
      type: 'string',
      description: 'The volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
      default: 'Filesystem',
    },
    dataSource: {
      ...TypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...TypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the attributes class.',
    },
  },
}

export const PersistentVolumeClaimCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a claim.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const ModifyVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Progress of a change of the attributes.',
  properties: {
    targetVolumeAttributesClassName: {
      type: 'string',
      description: 'The wanted class.',
    },
    status: {
      type: 'string',
      description: 'Pending, InProgress or Infeasible.',
    },
  },
  required: ['status'],
}

export const PersistentVolumeClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a claim.',
  properties: {
    phase: {
      type: 'string',
      description: 'Pending, Bound or Lost.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How the volume can be used.',
      'x-kubernetes-list-type': 'atomic',
    },
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Capacity of the volume.',
    },
    conditions: {
      type: 'array',
      items: PersistentVolumeClaimCondition,
      description: 'The state of the claim, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Allocated amount.',
    },
    allocatedResourceStatuses: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Progress of a resize, by resource.',
    },
    currentVolumeAttributesClassName: {
      type: 'string',
      description: 'Attributes class in force.',
    },
    modifyVolumeStatus: {
      ...ModifyVolumeStatus,
      description: 'Progress of a change of the attributes.',
    },
  },
}

export const PersistentVolumeClaim: StructuralSchema = {
  type: 'object',
  description: 'A request for storage.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...PersistentVolumeClaimSpec,
      description: 'Desired state.',
    },
    status: {
      ...PersistentVolumeClaimStatus,
      description: 'Observed state.',
    },
  },
}

export const HostPathVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A path of the node.',
  properties: {
    path: {
      type: 'string',
      description: 'The path.',
    },
    type: {
      type: 'string',
      description: 'Expected type of the path: Directory, File, Socket, DirectoryOrCreate …',
      default: '',
    },
  },
  required: ['path'],
}

export const LocalVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A disk or directory of one node.',
  properties: {
    path: {
      type: 'string',
      description: 'The path.',
    },
    fsType: {
      type: 'string',
      description: 'File system.',
    },
  },
  required: ['path'],
}

export const SecretReference: StructuralSchema = {
  type: 'object',
  description: 'Points to a secret in any namespace.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the secret.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the secret.',
    },
  },
}

export const CSIPersistentVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A volume of a CSI driver.',
  properties: {
    driver: {
      type: 'string',
      description: 'Name of the driver.',
    },
    volumeHandle: {
      type: 'string',
      description: 'The driver\'s name for the volume.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    fsType: {
      type: 'string',
      description: 'File system.',
    },
    volumeAttributes: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the driver.',
    },
    controllerPublishSecretRef: {
      ...SecretReference,
      description: 'Secret to attach it.',
    },
    nodeStageSecretRef: {
      ...SecretReference,
      description: 'Secret to stage it.',
    },
    nodePublishSecretRef: {
      ...SecretReference,
      description: 'Secret to mount it.',
    },
    controllerExpandSecretRef: {
      ...SecretReference,
      description: 'Secret to grow it.',
    },
    nodeExpandSecretRef: {
      ...SecretReference,
      description: 'Secret to grow it on the node.',
    },
  },
  required: ['driver', 'volumeHandle'],
}

export const NFSVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'An NFS export.',
  properties: {
    server: {
      type: 'string',
      description: 'Host of the server.',
    },
    path: {
      type: 'string',
      description: 'Exported path.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
  },
  required: ['server', 'path'],
}

export const LocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of a known kind in the same namespace.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const ISCSIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'An iSCSI disk.',
  properties: {
    targetPortal: {
      type: 'string',
      description: 'Portal, `host:port`.',
    },
    iqn: {
      type: 'string',
      description: 'Name of the target.',
    },
    lun: {
      type: 'integer',
      format: 'int32',
      description: 'Number of the unit.',
    },
    iscsiInterface: {
      type: 'string',
      description: 'Transport.',
    },
    fsType: {
      type: 'string',
      description: 'File system.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    portals: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Further portals.',
      'x-kubernetes-list-type': 'atomic',
    },
    chapAuthDiscovery: {
      type: 'boolean',
      description: 'Authenticates discovery.',
    },
    chapAuthSession: {
      type: 'boolean',
      description: 'Authenticates sessions.',
    },
    secretRef: {
      ...LocalObjectReference,
      description: 'Secret for authentication.',
    },
    initiatorName: {
      type: 'string',
      description: 'Own name.',
    },
  },
  required: ['targetPortal', 'iqn', 'lun'],
}

export const FCVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A Fibre Channel disk.',
  properties: {
    targetWWNs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'World wide names of the targets.',
      'x-kubernetes-list-type': 'atomic',
    },
    lun: {
      type: 'integer',
      format: 'int32',
      description: 'Number of the unit.',
    },
    fsType: {
      type: 'string',
      description: 'File system.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    wwids: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'World wide identifiers.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VolumeNodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Nodes that can reach a volume.',
  properties: {
    required: {
      ...NodeSelector,
      description: 'Must match.',
    },
  },
}

export const PersistentVolumeSpec: StructuralSchema = {
  type: 'object',
  description: 'Definition of a volume.',
  properties: {
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Capacity.',
    },
    hostPath: {
      ...HostPathVolumeSource,
      description: 'A path of the node.',
    },
    local: {
      ...LocalVolumeSource,
      description: 'A disk or directory of one node.',
    },
    csi: {
      ...CSIPersistentVolumeSource,
      description: 'A volume of a CSI driver.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it can be used.',
      'x-kubernetes-list-type': 'atomic',
    },
    claimRef: {
      ...ObjectReference,
      description: 'The claim that it is bound to.',
    },
    persistentVolumeReclaimPolicy: {
      type: 'string',
      description: 'Policy when the claim goes: Retain, Delete or Recycle.',
      default: 'Retain',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    mountOptions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Options of the mount.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
      default: 'Filesystem',
    },
    nodeAffinity: {
      ...VolumeNodeAffinity,
      description: 'Nodes that can reach it.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the attributes class.',
    },
  },
}

export const PersistentVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a volume.',
  properties: {
    phase: {
      type: 'string',
      description: 'Pending, Available, Bound, Released or Failed.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    lastPhaseTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the phase last changed.',
    },
  },
}

export const PersistentVolume: StructuralSchema = {
  type: 'object',
  description: 'A piece of storage.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...PersistentVolumeSpec,
      description: 'Definition of the volume.',
    },
    status: {
      ...PersistentVolumeStatus,
      description: 'Observed state of the volume.',
    },
  },
}

export const EmptyDirVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A directory that lives as long as the pod.',
  properties: {
    medium: {
      type: 'string',
      description: 'Empty for disk, Memory for memory, HugePages…',
    },
    sizeLimit: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Most that it may hold.',
    },
  },
}

export const KeyToPath: StructuralSchema = {
  type: 'object',
  description: 'A key as a file.',
  properties: {
    key: {
      type: 'string',
      description: 'The key.',
    },
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
    mode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the file.',
    },
  },
  required: ['key', 'path'],
}

export const SecretVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'The keys of a Secret as files.',
  properties: {
    secretName: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys and paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the files.',
      default: 420,
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const PersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim in the pod\'s namespace.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
  },
  required: ['claimName'],
}

export const DownwardAPIVolumeFile: StructuralSchema = {
  type: 'object',
  description: 'A field of the pod as a file.',
  properties: {
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
    fieldRef: {
      ...ObjectFieldSelector,
      description: 'A field of the pod.',
    },
    resourceFieldRef: {
      ...ResourceFieldSelector,
      description: 'A resource of a container.',
    },
    mode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the file.',
    },
  },
  required: ['path'],
}

export const DownwardAPIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Fields of the pod as files.',
  properties: {
    items: {
      type: 'array',
      items: DownwardAPIVolumeFile,
      description: 'The files.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the files.',
      default: 420,
    },
  },
}

export const ConfigMapVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'The keys of a ConfigMap as files.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys and paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the files.',
      default: 420,
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const SecretProjection: StructuralSchema = {
  type: 'object',
  description: 'The keys of a Secret in a projected volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys and paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const DownwardAPIProjection: StructuralSchema = {
  type: 'object',
  description: 'Fields of the pod in a projected volume.',
  properties: {
    items: {
      type: 'array',
      items: DownwardAPIVolumeFile,
      description: 'The files.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ConfigMapProjection: StructuralSchema = {
  type: 'object',
  description: 'The keys of a ConfigMap in a projected volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys and paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
  },
}

export const ServiceAccountTokenProjection: StructuralSchema = {
  type: 'object',
  description: 'A token of the pod\'s service account.',
  properties: {
    audience: {
      type: 'string',
      description: 'Whom the token is for.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that the token is valid.',
      default: 3600,
    },
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
  },
  required: ['path'],
}

export const ClusterTrustBundleProjection: StructuralSchema = {
  type: 'object',
  description: 'A bundle of certificates.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the bundle.',
    },
    signerName: {
      type: 'string',
      description: 'Signer whose bundles are taken.',
    },
    labelSelector: {
      ...LabelSelector,
      description: 'Which of the signer\'s bundles.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
  },
  required: ['path'],
}

export const VolumeProjection: StructuralSchema = {
  type: 'object',
  description: 'One source of a projected volume; exactly one is set.',
  properties: {
    secret: {
      ...SecretProjection,
      description: 'The keys of a Secret.',
    },
    downwardAPI: {
      ...DownwardAPIProjection,
      description: 'Fields of the pod.',
    },
    configMap: {
      ...ConfigMapProjection,
      description: 'The keys of a ConfigMap.',
    },
    serviceAccountToken: {
      ...ServiceAccountTokenProjection,
      description: 'A token of the pod\'s service account.',
    },
    clusterTrustBundle: {
      ...ClusterTrustBundleProjection,
      description: 'A bundle of certificates.',
    },
    podCertificate: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A key and certificate for the pod.',
    },
  },
}

export const ProjectedVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Several sources in one directory.',
  properties: {
    sources: {
      type: 'array',
      items: VolumeProjection,
      description: 'The sources.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the files.',
      default: 420,
    },
  },
}

export const PersistentVolumeClaimTemplate: StructuralSchema = {
  type: 'object',
  description: 'Template of a claim.',
  properties: {
    metadata: {
      ...ObjectMeta,
      description: 'Labels and annotations of the claim.',
    },
    spec: {
      ...PersistentVolumeClaimSpec,
      description: 'Spec of the claim.',
    },
  },
  required: ['spec'],
}

export const EphemeralVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim that lives as long as the pod.',
  properties: {
    volumeClaimTemplate: {
      ...PersistentVolumeClaimTemplate,
      description: 'Template of the claim.',
    },
  },
}

export const ImageVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'The files of an image.',
  properties: {
    reference: {
      type: 'string',
      description: 'Image reference.',
    },
    pullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent.',
    },
  },
}

export const CSIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A volume of a CSI driver.',
  properties: {
    driver: {
      type: 'string',
      description: 'Name of the driver.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    fsType: {
      type: 'string',
      description: 'File system.',
    },
    volumeAttributes: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the driver.',
    },
    nodePublishSecretRef: {
      ...LocalObjectReference,
      description: 'Secret for the driver.',
    },
  },
  required: ['driver'],
}

export const Volume: StructuralSchema = {
  type: 'object',
  description: 'A volume of a pod.',
  properties: {
    hostPath: {
      ...HostPathVolumeSource,
      description: 'A path of the node.',
    },
    emptyDir: {
      ...EmptyDirVolumeSource,
      description: 'A directory that lives as long as the pod.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'The keys of a Secret as files.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'A claim in the pod\'s namespace.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'The keys of a ConfigMap as files.',
    },
    projected: {
      ...ProjectedVolumeSource,
      description: 'Several sources in one directory.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'A claim that lives as long as the pod.',
    },
    image: {
      ...ImageVolumeSource,
      description: 'The files of an image, read-only.',
    },
    csi: {
      ...CSIVolumeSource,
      description: 'A volume of a CSI driver that lives as long as the pod.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    gitRepo: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Git repository.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
    name: {
      type: 'string',
      description: 'Name, unique within the pod.',
    },
  },
  required: ['name'],
}

export const Sysctl: StructuralSchema = {
  type: 'object',
  description: 'A kernel setting.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the setting.',
    },
    value: {
      type: 'string',
      description: 'Value of the setting.',
    },
  },
  required: ['name', 'value'],
}

export const PodSecurityContext: StructuralSchema = {
  type: 'object',
  description: 'Privileges of all containers of a pod.',
  properties: {
    seLinuxOptions: {
      ...SELinuxOptions,
      description: 'SELinux label.',
    },
    windowsOptions: {
      ...WindowsSecurityContextOptions,
      description: 'Windows only.',
    },
    runAsUser: {
      type: 'integer',
      format: 'int64',
      description: 'User id.',
    },
    runAsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'Group id.',
    },
    runAsNonRoot: {
      type: 'boolean',
      description: 'Refuses to run as root.',
    },
    supplementalGroups: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Further groups.',
      'x-kubernetes-list-type': 'atomic',
    },
    supplementalGroupsPolicy: {
      type: 'string',
      description: 'How supplemental groups and the image\'s groups combine.',
    },
    fsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'Group that owns the volumes.',
    },
    sysctls: {
      type: 'array',
      items: Sysctl,
      description: 'Kernel settings.',
      'x-kubernetes-list-type': 'atomic',
    },
    fsGroupChangePolicy: {
      type: 'string',
      description: 'When the ownership of volumes is changed.',
    },
    seccompProfile: {
      ...SeccompProfile,
      description: 'Seccomp profile.',
    },
    appArmorProfile: {
      ...AppArmorProfile,
      description: 'AppArmor profile.',
    },
    seLinuxChangePolicy: {
      type: 'string',
      description: 'How volumes are labelled for SELinux.',
    },
  },
}

export const HostAlias: StructuralSchema = {
  type: 'object',
  description: 'A line of /etc/hosts.',
  properties: {
    ip: {
      type: 'string',
      description: 'Address.',
    },
    hostnames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names for the address.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['ip'],
}

export const PodDNSConfigOption: StructuralSchema = {
  type: 'object',
  description: 'An option of the resolver.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the option.',
    },
    value: {
      type: 'string',
      description: 'Value of the option.',
    },
  },
}

export const PodDNSConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings for name resolution.',
  properties: {
    nameservers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Name servers.',
      'x-kubernetes-list-type': 'atomic',
    },
    searches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Search domains.',
      'x-kubernetes-list-type': 'atomic',
    },
    options: {
      type: 'array',
      items: PodDNSConfigOption,
      description: 'Options of the resolver.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodReadinessGate: StructuralSchema = {
  type: 'object',
  description: 'A further condition that must be True before the pod is ready.',
  properties: {
    conditionType: {
      type: 'string',
      description: 'Type of the condition.',
    },
  },
  required: ['conditionType'],
}

export const PodOS: StructuralSchema = {
  type: 'object',
  description: 'Operating system of a pod.',
  properties: {
    name: {
      type: 'string',
      description: 'linux or windows.',
    },
  },
  required: ['name'],
}

export const PodSchedulingGate: StructuralSchema = {
  type: 'object',
  description: 'A condition that must go before the pod is placed.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the condition.',
    },
  },
  required: ['name'],
}

export const PodResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'A claim on devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the pod.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'An existing ResourceClaim.',
    },
    resourceClaimTemplateName: {
      type: 'string',
      description: 'A template to make one from.',
    },
  },
  required: ['name'],
}

export const PodSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a pod.',
  properties: {
    volumes: {
      type: 'array',
      items: Volume,
      description: 'Volumes that containers mount.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    initContainers: {
      type: 'array',
      items: Container,
      description: 'Containers that run one after the other before the others start.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    containers: {
      type: 'array',
      items: Container,
      description: 'Containers of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    ephemeralContainers: {
      type: 'array',
      items: EphemeralContainer,
      description: 'Containers added for debugging.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    restartPolicy: {
      type: 'string',
      enum: ['Always', 'OnFailure', 'Never'],
      description: 'Always, OnFailure or Never.',
      default: 'Always',
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between being told to stop and being killed.',
      default: 30,
    },
    activeDeadlineSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds after which the pod is ended as failed.',
    },
    dnsPolicy: {
      type: 'string',
      description: 'How names are resolved.',
      default: 'ClusterFirst',
    },
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
      'x-kubernetes-map-type': 'atomic',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Identity of the pod.',
    },
    serviceAccount: {
      type: 'string',
      description: 'Deprecated alias of serviceAccountName.',
    },
    automountServiceAccountToken: {
      type: 'boolean',
      description: 'Whether an API token is mounted.',
    },
    nodeName: {
      type: 'string',
      description: 'Node that the pod is bound to.',
    },
    hostNetwork: {
      type: 'boolean',
      description: 'Uses the node\'s network.',
    },
    hostPID: {
      type: 'boolean',
      description: 'Uses the node\'s process ids.',
    },
    hostIPC: {
      type: 'boolean',
      description: 'Uses the node\'s IPC.',
    },
    shareProcessNamespace: {
      type: 'boolean',
      description: 'Shares process ids between the containers.',
    },
    securityContext: {
      ...PodSecurityContext,
      description: 'Privileges of all containers.',
      default: {},
    },
    imagePullSecrets: {
      type: 'array',
      items: LocalObjectReference,
      description: 'Registry credentials.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the pod.',
    },
    hostnameOverride: {
      type: 'string',
      description: 'Replaces the host name inside the pod, whatever it is otherwise.',
    },
    subdomain: {
      type: 'string',
      description: 'Subdomain of the pod.',
    },
    affinity: {
      ...Affinity,
      description: 'Rules about where the pod goes.',
    },
    schedulerName: {
      type: 'string',
      description: 'Name of the scheduler that places the pod.',
      default: 'default-scheduler',
    },
    tolerations: {
      type: 'array',
      items: Toleration,
      description: 'Taints that the pod bears.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostAliases: {
      type: 'array',
      items: HostAlias,
      description: 'Lines for /etc/hosts.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['ip'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class.',
    },
    priority: {
      type: 'integer',
      format: 'int32',
      description: 'Priority, from the class.',
    },
    dnsConfig: {
      ...PodDNSConfig,
      description: 'Settings for name resolution.',
    },
    readinessGates: {
      type: 'array',
      items: PodReadinessGate,
      description: 'Further conditions that must be True before the pod is ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    runtimeClassName: {
      type: 'string',
      description: 'Which container runtime runs it.',
    },
    enableServiceLinks: {
      type: 'boolean',
      description: 'Puts services into the environment. True for pods that do not say; templates are left as they are.',
    },
    preemptionPolicy: {
      type: 'string',
      description: 'PreemptLowerPriority or Never.',
    },
    overhead: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources that the pod needs besides those of its containers.',
    },
    topologySpreadConstraints: {
      type: 'array',
      items: TopologySpreadConstraint,
      description: 'Spreads pods over nodes.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'topologyKey',
    },
    setHostnameAsFQDN: {
      type: 'boolean',
      description: 'Uses the full name as host name.',
    },
    os: {
      ...PodOS,
      description: 'Operating system of the pod.',
    },
    hostUsers: {
      type: 'boolean',
      description: 'Runs in a user namespace unless true.',
    },
    schedulingGates: {
      type: 'array',
      items: PodSchedulingGate,
      description: 'Conditions that must go before the pod is placed.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resourceClaims: {
      type: 'array',
      items: PodResourceClaim,
      description: 'Claims on devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources of the pod as a whole.',
    },
  },
  required: ['containers'],
}

export const PodCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a pod.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const HostIP: StructuralSchema = {
  type: 'object',
  description: 'An address of a node.',
  properties: {
    ip: {
      type: 'string',
      description: 'The address.',
    },
  },
  required: ['ip'],
}

export const PodIP: StructuralSchema = {
  type: 'object',
  description: 'An address of a pod.',
  properties: {
    ip: {
      type: 'string',
      description: 'The address.',
    },
  },
  required: ['ip'],
}

export const PodResourceClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'A claim on devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim in the pod.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'The ResourceClaim that was made.',
    },
  },
  required: ['name'],
}

export const PodStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a pod.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    phase: {
      type: 'string',
      enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
      description: 'Where the pod stands in its life.',
    },
    conditions: {
      type: 'array',
      items: PodCondition,
      description: 'The state of the pod, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word: Evicted.',
    },
    nominatedNodeName: {
      type: 'string',
      description: 'Node that will be freed for the pod.',
    },
    hostIP: {
      type: 'string',
      description: 'Address of the node.',
    },
    hostIPs: {
      type: 'array',
      items: HostIP,
      description: 'Addresses of the node.',
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    podIP: {
      type: 'string',
      description: 'Address of the pod.',
    },
    podIPs: {
      type: 'array',
      items: PodIP,
      description: 'Addresses of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['ip'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    startTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the node saw the pod.',
    },
    initContainerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Init containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    containerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    qosClass: {
      type: 'string',
      description: 'Guaranteed, Burstable or BestEffort.',
    },
    ephemeralContainerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Containers added for debugging.',
      'x-kubernetes-list-type': 'atomic',
    },
    resize: {
      type: 'string',
      description: 'Progress of a resize in place.',
    },
    resourceClaimStatuses: {
      type: 'array',
      items: PodResourceClaimStatus,
      description: 'Claims on devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources set aside for the pod.',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources in force for the pod.',
    },
  },
}

export const Pod: StructuralSchema = {
  type: 'object',
  description: 'Processes that are placed, started and ended together.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...PodSpec,
      description: 'Desired state of the pod.',
    },
    status: {
      ...PodStatus,
      description: 'Observed state of the pod.',
    },
  },
  required: ['spec'],
}

export const PodTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'Template of the pods of a workload.',
  properties: {
    metadata: {
      ...ObjectMeta,
      description: 'Labels and annotations of the pods.',
    },
    spec: {
      ...PodSpec,
      description: 'Spec of the pods.',
    },
  },
  required: ['spec'],
}

export const ReplicationControllerSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a replication controller.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'How many pods.',
      default: 1,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count.',
    },
    selector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of its pods.',
      'x-kubernetes-map-type': 'atomic',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
  },
}

export const ReplicationControllerCondition: StructuralSchema = {
  type: 'object',
  description: 'The state in one aspect.',
  properties: {
    type: {
      type: 'string',
      description: 'The aspect.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const ReplicationControllerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a replication controller.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods.',
      default: 0,
    },
    fullyLabeledReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods with all labels of the template.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Ready pods.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are ready for long enough.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    conditions: {
      type: 'array',
      items: ReplicationControllerCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
  required: ['replicas'],
}

export const ReplicationController: StructuralSchema = {
  type: 'object',
  description: 'Keeps a number of pods. The older form of a ReplicaSet.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...ReplicationControllerSpec,
      description: 'Desired state.',
    },
    status: {
      ...ReplicationControllerStatus,
      description: 'Observed state.',
    },
  },
}

export const PodTemplate: StructuralSchema = {
  type: 'object',
  description: 'A template for pods, on its own.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'The template.',
    },
  },
}

export const ScopedResourceSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'One scope that must hold.',
  properties: {
    scopeName: {
      type: 'string',
      description: 'Name of the scope.',
    },
    operator: {
      type: 'string',
      description: 'In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values for In and NotIn.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['scopeName', 'operator'],
}

export const ScopeSelector: StructuralSchema = {
  type: 'object',
  description: 'Chooses objects by scopes that must all hold.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: ScopedResourceSelectorRequirement,
      description: 'The scopes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ResourceQuotaSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a quota.',
  properties: {
    hard: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Most of each resource: `requests.cpu`, `pods`, `count/deployments.apps` …',
    },
    scopes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Which objects are counted: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass …',
      'x-kubernetes-list-type': 'atomic',
    },
    scopeSelector: {
      ...ScopeSelector,
      description: 'Which objects are counted, by expression.',
    },
  },
}

export const ResourceQuotaStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a quota.',
  properties: {
    hard: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'The bounds that are in force.',
    },
    used: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Current usage of each resource.',
    },
  },
}

export const ResourceQuota: StructuralSchema = {
  type: 'object',
  description: 'Bounds for what all objects of a namespace together may ask for.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...ResourceQuotaSpec,
      description: 'Desired state of the quota.',
    },
    status: {
      ...ResourceQuotaStatus,
      description: 'Observed state of the quota.',
    },
  },
}

export const Secret: StructuralSchema = {
  type: 'object',
  description: 'Confidential data for workloads.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    immutable: {
      type: 'boolean',
      description: 'True forbids every further change of the data.',
    },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        format: 'byte',
      },
      description: 'Values by key, as base64.',
    },
    stringData: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Values by key as plain text; merged into `data` when written and never read back.',
    },
    type: {
      type: 'string',
      description: 'Type of the secret; immutable.',
      default: 'Opaque',
    },
  },
}

export const ServiceAccount: StructuralSchema = {
  type: 'object',
  description: 'An identity for the processes of a pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    secrets: {
      type: 'array',
      items: ObjectReference,
      description: 'Secrets that pods with this identity may use.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    imagePullSecrets: {
      type: 'array',
      items: LocalObjectReference,
      description: 'Registry credentials for pods with this identity.',
      'x-kubernetes-list-type': 'atomic',
    },
    automountServiceAccountToken: {
      type: 'boolean',
      description: 'Whether pods get an API token mounted.',
    },
  },
}

export const ServicePort: StructuralSchema = {
  type: 'object',
  description: 'A port of a service.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the service.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
      default: 'TCP',
    },
    appProtocol: {
      type: 'string',
      description: 'Protocol above TCP.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port of the service.',
    },
    targetPort: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Port of the pods, as number or name.',
    },
    nodePort: {
      type: 'integer',
      format: 'int32',
      description: 'Port on every node.',
    },
  },
  required: ['port'],
}

export const ClientIPConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings of ClientIP affinity.',
  properties: {
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a client stays with a pod.',
    },
  },
}

export const SessionAffinityConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings of the session affinity.',
  properties: {
    clientIP: {
      ...ClientIPConfig,
      description: 'For ClientIP.',
    },
  },
}

export const ServiceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a service.',
  properties: {
    ports: {
      type: 'array',
      items: ServicePort,
      description: 'Ports of the service.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'port',
    },
    selector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the pods.',
      'x-kubernetes-map-type': 'atomic',
    },
    clusterIP: {
      type: 'string',
      description: 'Address of the service; `None` makes it headless.',
    },
    clusterIPs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of the service, one per IP family.',
      'x-kubernetes-list-type': 'atomic',
    },
    type: {
      type: 'string',
      description: 'ClusterIP, NodePort, LoadBalancer or ExternalName.',
      default: 'ClusterIP',
    },
    externalIPs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Further addresses that lead to the service.',
      'x-kubernetes-list-type': 'atomic',
    },
    sessionAffinity: {
      type: 'string',
      description: 'ClientIP or None.',
      default: 'None',
    },
    loadBalancerIP: {
      type: 'string',
      description: 'Address of the load balancer; deprecated.',
    },
    loadBalancerSourceRanges: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Client addresses allowed to use the load balancer.',
      'x-kubernetes-list-type': 'atomic',
    },
    externalName: {
      type: 'string',
      description: 'Name that the service stands for.',
    },
    externalTrafficPolicy: {
      type: 'string',
      description: 'Cluster or Local.',
    },
    healthCheckNodePort: {
      type: 'integer',
      format: 'int32',
      description: 'Port for health checks of the nodes.',
    },
    publishNotReadyAddresses: {
      type: 'boolean',
      description: 'Lists pods before they are ready.',
    },
    sessionAffinityConfig: {
      ...SessionAffinityConfig,
      description: 'Settings of the session affinity.',
    },
    ipFamilies: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'IP families of the service.',
      'x-kubernetes-list-type': 'atomic',
    },
    ipFamilyPolicy: {
      type: 'string',
      description: 'SingleStack, PreferDualStack or RequireDualStack.',
    },
    allocateLoadBalancerNodePorts: {
      type: 'boolean',
      description: 'Whether a load balancer needs node ports.',
    },
    loadBalancerClass: {
      type: 'string',
      description: 'Which load balancer is meant.',
    },
    internalTrafficPolicy: {
      type: 'string',
      description: 'Cluster or Local.',
    },
    trafficDistribution: {
      type: 'string',
      description: 'Preference among endpoints.',
    },
  },
}

export const PortStatus: StructuralSchema = {
  type: 'object',
  description: 'A port of a load balancer.',
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
    },
    error: {
      type: 'string',
      description: 'Error message.',
    },
  },
  required: ['port', 'protocol'],
}

export const LoadBalancerIngress: StructuralSchema = {
  type: 'object',
  description: 'Where a load balancer listens.',
  properties: {
    ip: {
      type: 'string',
      description: 'Address.',
    },
    hostname: {
      type: 'string',
      description: 'Host name.',
    },
    ipMode: {
      type: 'string',
      description: 'How the address behaves.',
    },
    ports: {
      type: 'array',
      items: PortStatus,
      description: 'Ports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const LoadBalancerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a load balancer.',
  properties: {
    ingress: {
      type: 'array',
      items: LoadBalancerIngress,
      description: 'Where it listens.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ServiceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a service.',
  properties: {
    loadBalancer: {
      ...LoadBalancerStatus,
      description: 'The load balancer.',
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'The state of the service, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const Service: StructuralSchema = {
  type: 'object',
  description: 'A stable name and address for a set of pods.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...ServiceSpec,
      description: 'Desired state of the service.',
    },
    status: {
      ...ServiceStatus,
      description: 'Observed state of the service.',
    },
  },
}

export const VolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a volume; exactly one member is set.',
  properties: {
    hostPath: {
      ...HostPathVolumeSource,
      description: 'A path of the node.',
    },
    emptyDir: {
      ...EmptyDirVolumeSource,
      description: 'A directory that lives as long as the pod.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'The keys of a Secret as files.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'A claim in the pod\'s namespace.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'The keys of a ConfigMap as files.',
    },
    projected: {
      ...ProjectedVolumeSource,
      description: 'Several sources in one directory.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'A claim that lives as long as the pod.',
    },
    image: {
      ...ImageVolumeSource,
      description: 'The files of an image, read-only.',
    },
    csi: {
      ...CSIVolumeSource,
      description: 'A volume of a CSI driver that lives as long as the pod.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    gitRepo: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Git repository.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Binding: Binding,
  ConfigMap: ConfigMap,
  Endpoints: Endpoints,
  Event: CoreEvent,
  LimitRange: LimitRange,
  Namespace: Namespace,
  Node: Node,
  PersistentVolume: PersistentVolume,
  PersistentVolumeClaim: PersistentVolumeClaim,
  Pod: Pod,
  PodTemplate: PodTemplate,
  ReplicationController: ReplicationController,
  ResourceQuota: ResourceQuota,
  Secret: Secret,
  Service: Service,
  ServiceAccount: ServiceAccount,
}
