/** Finalizers that order an uninstallation. KubeVirt's names. */
export const uninstallNames = {
  /** On the KubeVirt object, until all that was installed for it is gone. */
  finalizer: 'kubevirt.io/foregroundDeleteKubeVirt',
  /** Name in older versions; not added any more. */
  formerFinalizer: 'foregroundDeleteKubeVirt',
  /** On CRDs: none goes while another one still has objects. */
  definitionFinalizer: 'kubevirt.io/virtOperatorFinalizer',
} as const
