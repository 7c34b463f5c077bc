import { componentNamespace } from '#api/access/component-users.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'

/** The object that a fresh cluster is configured by. */
export const kubeVirtKey: { readonly namespace: string; readonly name: string } = { namespace: componentNamespace, name: 'kubevirt' }

/**
 * Returns the effective KubeVirt object of a cluster: the one with the usual name and namespace,
 * else the oldest of that namespace, else the oldest of all. Installers choose their own names, and
 * a second object beside the first must not take over. Components look into their own namespace
 * only; a command line does not know the namespace of an installation.
 */
export function chooseKubeVirt(all: readonly KubeVirt[]): KubeVirt | undefined {
  return all.toSorted((a, b) => (precedenceOf(a) < precedenceOf(b) ? -1 : 1))[0]
}

function precedenceOf({ metadata }: KubeVirt): string {
  const { namespace = '', name = '', creationTimestamp } = metadata ?? {}
  const age = `${creationTimestamp ?? ''}/${namespace}/${name}`
  if (namespace !== kubeVirtKey.namespace) return `2/${age}`
  return name === kubeVirtKey.name ? '0' : `1/${age}`
}
