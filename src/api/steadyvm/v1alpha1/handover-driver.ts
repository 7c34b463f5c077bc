/**
 * CSI driver of the node agent. Its ephemeral volumes hand a directory over to each launcher pod
 * that runs in a container.
 */
export const handoverDriver = 'launcher.steadyvm.io'
