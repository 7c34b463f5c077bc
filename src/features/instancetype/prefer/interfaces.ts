import type { Interface } from '#api/kubevirt/v1/domain/interface.ts'
import type { PreferencePart } from '../apply/draft.ts'

const coreBindings = ['bridge', 'slirp', 'masquerade', 'sriov', 'macvtap', 'passt', 'passtBinding'] as const

/** Sets models of network interfaces, and masquerade for an unbound one on the pod network. */
export const preferInterfacesInto: PreferencePart = (draft, preference) => {
  const preferred = preference.devices
  if (preferred === undefined) return
  for (const card of draft.spec.domain.devices.interfaces ?? []) {
    if (preferred.preferredInterfaceModel !== undefined) card.model ||= preferred.preferredInterfaceModel
    if (preferred.preferredInterfaceMasquerade !== undefined && !hasBinding(card) && isOnPodNetwork(draft.spec, card)) {
      card.masquerade = structuredClone(preferred.preferredInterfaceMasquerade)
    }
  }
}

function hasBinding(card: Interface): boolean {
  return card.binding !== undefined || coreBindings.some((binding) => card[binding] !== undefined)
}

function isOnPodNetwork(spec: Parameters<PreferencePart>[0]['spec'], card: Interface): boolean {
  return spec.networks?.some((network) => network.name === card.name && network.pod !== undefined) === true
}
