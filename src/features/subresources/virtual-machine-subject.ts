import type { ErrorSubject } from '#apimachinery/errors.ts'

/** Subject of the subresources' errors: KubeVirt's spelling, in the singular. */
export const virtualMachineSubject: ErrorSubject = { group: 'kubevirt.io', plural: 'virtualmachine' }
