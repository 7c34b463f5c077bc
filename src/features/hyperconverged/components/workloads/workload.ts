import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf } from '../../names.ts'
import { plainCluster } from '../rendering/cluster-facts.ts'
import type { Rendering, RenderingInput } from '../rendering/rendering.ts'
import { ianaNames, tlsSettingsOf, type TlsSettings } from '../rendering/tls-profile.ts'
import type { ValueSource } from '../rendering/value-source.ts'

/** Pods that the operator deploys itself, since no other operator does, with all their objects. */
export interface Workload {
  /** Name in status, events and output. */
  readonly name: string
  /** Value of the label app.kubernetes.io/component. */
  readonly part: string
  /** Environment variable of the operator that has the image. Default: there are no pods. */
  readonly image?: string
  /** Returns what asks for the workload; undefined: nothing does. */
  readonly requestedBy: (rendering: Rendering) => ValueSource | undefined
  /** Reason why it cannot run on this cluster, although its image is known. Default: none. */
  readonly obstacle?: (place: WorkloadPlace) => string | undefined
  /** The objects in the order in which they are written, without labels and namespaces. */
  readonly objects: (place: WorkloadPlace) => readonly KubeObject[]
}

/** What the objects of a workload depend on. */
export interface WorkloadPlace extends Pick<RenderingInput, 'namespace' | 'hyperconverged'> {
  readonly image: string
  readonly isOpenShift: boolean
  /** True if cert-manager issues certificates. */
  readonly hasCertManager: boolean
  /** True if there are nodes for a second replica. */
  readonly isHighlyAvailable: boolean
  /** Profile of TLS, with its name. */
  readonly tls: TlsSettings & { readonly type: string }
}

/** Returns what objects depend on. @throws FieldUnusable for an invalid TLS profile. Pure. */
export function placeOf(rendering: Rendering, image: string, hasCertManager: boolean): WorkloadPlace {
  const { namespace, hyperconverged, nodes, cluster = plainCluster } = rendering.input
  const profile = rendering.tlsProfile()?.profile
  const { type = 'Intermediate' } = (profile ?? {}) as { readonly type?: string }
  return {
    namespace,
    hyperconverged,
    image,
    isOpenShift: cluster.isOpenShift,
    hasCertManager,
    isHighlyAvailable: nodes.workers > 1,
    tls: { ...tlsSettingsOf(profile), type },
  }
}

/** Labels by which the pods of a workload are selected. Pure. */
export function podSelector(part: string): Readonly<Record<string, string>> {
  const { app = '' } = labelsOf(part)
  return { app, 'app.kubernetes.io/component': part }
}

/** Account, role and binding of a workload. Pure. */
export function accessOf(
  { namespace }: Pick<WorkloadPlace, 'namespace'>,
  names: { readonly account: string; readonly role: string; readonly binding: string },
  rules: readonly object[],
): readonly KubeObject[] {
  const apiGroup = 'rbac.authorization.k8s.io'
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: names.account } },
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata: { name: names.role }, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: names.binding },
      roleRef: { apiGroup, kind: 'ClusterRole', name: names.role },
      subjects: [{ kind: 'ServiceAccount', name: names.account, namespace }],
    },
  ] as KubeObject[]
}

/** Ciphers of TLS 1.3, which the named profiles list, too. */
const tls13Ciphers = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** Arguments of a server for TLS, with `-` or `--` before each name. Pure. */
export function tlsArguments({ type, minTLSVersion, ciphers }: WorkloadPlace['tls'], dashes: '-' | '--'): readonly string[] {
  const names = [...(type === 'Custom' ? [] : tls13Ciphers), ...ianaNames(ciphers)]
  return [
    `${dashes}tls-min-version=${minTLSVersion}`,
    ...(minTLSVersion === 'VersionTLS13' || names.length === 0 ? [] : [`${dashes}tls-cipher-suites=${names.join(',')}`]),
  ]
}

/** A container without any privilege. */
export const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
} as const

/** Environment variable with a field of the pod. Pure. */
export function fieldOfPod(name: string, fieldPath: string): object {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } }
}
