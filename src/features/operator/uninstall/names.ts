/** Finalizers by which a deletion of the system goes in order. KubeVirt's names. */
export const uninstallNames = {
  /** On the KubeVirt object: it stays until all that was installed because of it is gone. */
  finalizer: 'kubevirt.io/foregroundDeleteKubeVirt',
  /** How older versions called it: nobody adds it any more. */
  formerFinalizer: 'foregroundDeleteKubeVirt',
  /** On definitions: no kind goes while another one still has objects. */
  definitionFinalizer: 'kubevirt.io/virtOperatorFinalizer',
} as const
