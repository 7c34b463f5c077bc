import type { Pod } from '#api/core/v1/pod.ts'
import type { MachineConfig } from './config.ts'
import { portsOf } from './config.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Pki } from './pki.ts'
import { compileCache, componentImage, type Release } from './release.ts'

/** Namespace of the components. */
export const SYSTEM_NAMESPACE = 'kubevirt'

/** What the manifests are made of. */
export interface StaticPodContext {
  readonly directory: DataDirectory
  readonly config: MachineConfig
  readonly pki: Pki
  readonly release: Release
  /** `kvm`, `tcg`, or undefined to let each node find out. */
  readonly accelerator?: string
}

interface Component {
  readonly name: string
  readonly args: readonly string[]
  readonly port: number
  /** Seconds from TERM to KILL. */
  readonly graceSeconds: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Path of a component's kubeconfig. */
export function componentKubeconfig(directory: DataDirectory, user: string): string {
  return `${directory.pki}/${user}.kubeconfig`
}

/** Manifests of one node, by file name: the control plane on the first node, the node agent on every one. */
export function staticPods(context: StaticPodContext, node: string): Map<string, Pod> {
  const index = context.config.nodes.indexOf(node)
  const components = [...(index === 0 ? controlPlane(context) : []), nodeAgent(context, node, index)]
  return new Map(components.map((component) => [`${component.name}.json`, podOf(context, component)]))
}

function controlPlane({ directory, config, pki }: StaticPodContext): Component[] {
  const ports = portsOf(config)
  return [
    {
      name: 'apiserver',
      args: [
        `--database=${directory.database}`,
        `--port=${ports.api}`,
        `--pki=${directory.pki}`,
        `--nodes=${directory.nodes}`,
        `--volumes=${directory.volumes}`,
        `--audit-log-path=${directory.logs}/audit.log`,
      ],
      port: ports.api,
      graceSeconds: 10,
    },
    {
      name: 'virt-api',
      args: [
        `--kubeconfig=${componentKubeconfig(directory, 'virt-api')}`,
        `--port=${ports.virtApi}`,
        `--health-port=${ports.virtApiHealth}`,
        `--tls-certificate=${pki.virtApiServing.certificate}`,
        `--tls-key=${pki.virtApiServing.key}`,
        `--ca=${pki.ca.certificate}`,
      ],
      port: ports.virtApiHealth,
      graceSeconds: 10,
    },
    {
      name: 'virt-controller',
      args: [`--kubeconfig=${componentKubeconfig(directory, 'virt-controller')}`, `--health-port=${ports.virtController}`],
      port: ports.virtController,
      graceSeconds: 10,
    },
  ]
}

function nodeAgent({ directory, config, accelerator }: StaticPodContext, node: string, index: number): Component {
  const port = portsOf(config).virtHandler(index)
  return {
    name: 'virt-handler',
    args: [
      `--kubeconfig=${componentKubeconfig(directory, `virt-handler-${node}`)}`,
      `--node=${node}`,
      `--pods=${directory.node(node).pods}`,
      `--run=${directory.run}`,
      `--cache=${directory.cache}`,
      `--health-port=${port}`,
      ...(accelerator === undefined ? [] : [`--accelerator=${accelerator}`]),
    ],
    port,
    graceSeconds: 10,
  }
}

function podOf({ directory, release }: StaticPodContext, component: Component): Pod {
  const scheme = component.name === 'apiserver' ? 'HTTPS' : 'HTTP'
  const path = '/readyz'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: component.name,
      namespace: SYSTEM_NAMESPACE,
      labels: { 'kubevirt.io': component.name, 'app.kubernetes.io/part-of': 'steadyvm', 'app.kubernetes.io/version': release.version },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      terminationGracePeriodSeconds: component.graceSeconds,
      containers: [
        {
          name: component.name,
          image: componentImage(release, component.name),
          args: [...component.args],
          env: [
            { name: 'NODE_COMPILE_CACHE', value: compileCache(release) },
            { name: 'STEADYVM_HOME', value: directory.root },
          ],
          startupProbe: {
            httpGet: { scheme, path, host: '127.0.0.1', port: component.port },
            periodSeconds: 1,
            failureThreshold: 60,
            timeoutSeconds: 2,
          },
          readinessProbe: {
            httpGet: { scheme, path, host: '127.0.0.1', port: component.port },
            periodSeconds: 10,
            failureThreshold: 3,
            timeoutSeconds: 5,
          },
        },
      ],
    },
  }
}
