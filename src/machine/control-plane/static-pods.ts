import { componentNamespace } from '#api/access/component-users.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { MachineConfig } from '../home/config.ts'
import { portsOf } from '../home/config.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { componentKubeconfig } from './platform.ts'
import { compileCache, componentImage, type Release } from '../release/release.ts'

/** Service of virt-api. */
export const VIRT_API_SERVICE = 'virt-api'

/** Annotation of a pod with its code: changed code replaces the pod. */
const PROGRAM_ANNOTATION = 'steadyvm.io/program'

/** Parameters of {@link staticPods}. */
export interface StaticPodContext {
  readonly directory: DataDirectory
  readonly config: MachineConfig
  readonly release: Release
  /** Identifies the code of a program. */
  readonly identify: (program: string) => string
}

interface Component {
  readonly name: string
  readonly args: readonly string[]
  readonly port: number
  /** Seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds: number
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Builds the static pod manifests of a node, by file name: API server and virt-operator on the
 * first node, none on the others.
 */
export function staticPods(context: StaticPodContext, node: string): Map<string, Pod> {
  const components = context.config.nodes.indexOf(node) === 0 ? controlPlane(context) : []
  return new Map(components.map((component) => [`${component.name}.json`, podOf(context, component)]))
}

function controlPlane({ directory, config }: StaticPodContext): Component[] {
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
      name: 'virt-operator',
      args: [
        `--kubeconfig=${componentKubeconfig(directory, 'virt-operator')}`,
        `--health-port=${ports.virtOperator}`,
        `--platform=${directory.platform}`,
        `--releases=${directory.releases}`,
      ],
      port: ports.virtOperator,
      graceSeconds: 10,
    },
  ]
}

function podOf({ directory, release, identify }: StaticPodContext, component: Component): Pod {
  const scheme = component.name === 'apiserver' ? 'HTTPS' : 'HTTP'
  const path = '/readyz'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: component.name,
      namespace: componentNamespace,
      labels: { 'kubevirt.io': component.name, 'app.kubernetes.io/part-of': 'steadyvm', 'app.kubernetes.io/version': release.version },
      annotations: { [PROGRAM_ANNOTATION]: identify(component.name) },
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
