import type { ErrorSubject } from '#apimachinery/errors.ts'

/** How the subresources' errors call a VM: KubeVirt's spelling, in the singular. */
export const virtualMachineSubject: ErrorSubject = { group: 'kubevirt.io', plural: 'virtualmachine' }
