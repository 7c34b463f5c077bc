/** kubectl's flags, for every command that works on a cluster. */
export const clusterFlags = {
  kubeconfig: {
    kind: 'parsed',
    parse: (text: string): string => text,
    optional: true,
    brief: "Kubeconfig file (default: kubectl's)",
    placeholder: 'file',
  },
  context: {
    kind: 'parsed',
    parse: (text: string): string => text,
    optional: true,
    brief: 'Context of the kubeconfig',
    placeholder: 'name',
  },
} as const

/** For commands that work on a machine of its own. */
export const dataDir = {
  kind: 'parsed',
  parse: (text: string): string => text,
  optional: true,
  brief: 'Data directory (default: $STEADYVM_HOME, else ~/.steadyvm)',
  placeholder: 'dir',
} as const

/** `-n`. */
export const namespace = {
  kind: 'parsed',
  parse: (text: string): string => text,
  optional: true,
  brief: 'Namespace',
  placeholder: 'ns',
} as const

/** `-A`. */
export const allNamespaces = { kind: 'boolean', default: false, brief: 'All namespaces' } as const

/** `-l`. */
export const selector = {
  kind: 'parsed',
  parse: (text: string): string => text,
  optional: true,
  brief: 'Label selector of VMs',
  placeholder: 'selector',
} as const

/** `-o`. */
export const output = {
  kind: 'enum',
  values: ['text', 'json', 'yaml', 'name', 'wide'],
  default: 'text',
  brief: 'How to print: text, json, yaml, name or wide',
} as const

/** Images of workloads that the operator of HyperConverged deploys. */
export const workloadImage = {
  kind: 'parsed',
  parse: (text: string): string => text,
  variadic: true,
  optional: true,
  brief: 'Image of a workload that the operator of HyperConverged may deploy; it gets the rights for it, too: NAME=IMAGE',
  placeholder: 'name=image',
} as const
