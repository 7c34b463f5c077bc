import type { Domain } from './domain.ts'

/**
 * Name and mode of a virtio device: `virtio-net-pci,disable-legacy=on`. Only guests that must get
 * devices that also speak virtio 0.9.
 */
export function virtioDevice(kind: string, { machine }: { readonly machine: Pick<Domain['machine'], 'virtioTransitional'> }): string {
  return `virtio-${kind}-pci,disable-legacy=${machine.virtioTransitional ? 'off' : 'on'},disable-modern=off`
}
