import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'

/** The object that a fresh cluster is configured by. */
export const kubeVirtKey = { namespace: 'kubevirt', name: 'kubevirt' } as const

/**
 * The object that counts, of those in the system's namespace: the one of the usual name, else the oldest. Installers give it names of their own,
 * and a second one that somebody makes beside it must not take over.
 */
export function chooseKubeVirt(all: readonly KubeVirt[]): KubeVirt | undefined {
  return all.filter(({ metadata }) => metadata?.namespace === kubeVirtKey.namespace).toSorted(byPrecedence)[0]
}

function byPrecedence(a: KubeVirt, b: KubeVirt): number {
  const [left, right] = [precedenceOf(a), precedenceOf(b)]
  return left < right ? -1 : 1
}

function precedenceOf({ metadata }: KubeVirt): string {
  const name = metadata?.name ?? ''
  return name === kubeVirtKey.name ? '' : `${metadata?.creationTimestamp ?? ''}/${name}`
}
