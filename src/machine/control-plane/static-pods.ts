import { componentNamespace } from '#api/access/component-users.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { systemLabels } from '#api/access/managed.ts'
import type { MachineConfig } from '../home/config.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { podNetworkIdentity, podNetworkPlace, scriptEnvironment } from '../network/pod-network.ts'
import { compileCache, componentImage, type Release } from '../release/release.ts'

/** Service of virt-api. */
export const VIRT_API_SERVICE = 'virt-api'

/** Annotation of a pod with its code: changed code replaces the pod. */
export const PROGRAM_ANNOTATION = 'steadyvm.io/program'

/** Parameters of {@link staticPods}. */
export interface StaticPodContext {
  readonly directory: DataDirectory
  readonly config: MachineConfig
  readonly release: Release
  /** Identifies the code of a program. */
  readonly identify: (program: string) => string
}

/**
 * Builds the static pod manifests of a node, by file name: the API server on the first node, none
 * on the others.
 */
export function staticPods(context: StaticPodContext, node: string): Map<string, Pod> {
  if (context.config.nodes.indexOf(node) !== 0) return new Map()
  const network = podNetworkPod(context)
  return new Map([['apiserver.json', apiServerPod(context)], ...(network === undefined ? [] : [['pod-network.json', network] as const])])
}

function podNetworkFlag(root: string, prefix: string | undefined): string[] {
  return prefix === undefined ? [] : [`--pod-network=${podNetworkPlace(root, prefix).directory},${prefix}`]
}

function podNetworkPod({ directory, config, release }: StaticPodContext): Pod | undefined {
  if (config.podNetwork === undefined) return undefined
  const name = 'pod-network'
  const place = scriptEnvironment(podNetworkPlace(directory.root, config.podNetwork))
  const env = Object.entries(place).map(([variable, value]) => ({ name: variable, value }))
  const image = componentImage(release, name)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: componentNamespace,
      labels: { 'kubevirt.io': name, ...systemLabels, 'app.kubernetes.io/version': release.version },
      annotations: { [PROGRAM_ANNOTATION]: podNetworkIdentity(release) },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      terminationGracePeriodSeconds: 5,
      containers: ['uplink', 'dns'].map((part) => ({ name: part, image, args: [part], env })),
    },
  }
}

function apiServerPod({ directory, config, release, identify }: StaticPodContext): Pod {
  const name = 'apiserver'
  const httpGet = { scheme: 'HTTPS', path: '/readyz', host: '127.0.0.1', port: config.apiPort } as const
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: componentNamespace,
      labels: { 'kubevirt.io': name, ...systemLabels, 'app.kubernetes.io/version': release.version },
      annotations: { [PROGRAM_ANNOTATION]: identify(name) },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          name,
          image: componentImage(release, name),
          args: [
            `--database=${directory.database}`,
            `--port=${config.apiPort}`,
            `--pki=${directory.pki}`,
            `--nodes=${directory.nodes}`,
            `--volumes=${directory.volumes}`,
            ...podNetworkFlag(directory.root, config.podNetwork),
            `--monitoring=${directory.monitoring}`,
            `--operator-manifest=${directory.operatorManifest}`,
            `--platform=${config.platform ?? 'kubevirt'}`,
            `--audit-log-path=${directory.logs}/audit.log`,
          ],
          env: [
            { name: 'NODE_COMPILE_CACHE', value: compileCache(release) },
            { name: 'STEADYVM_HOME', value: directory.root },
          ],
          startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
          readinessProbe: { httpGet, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 },
        },
      ],
    },
  }
}
