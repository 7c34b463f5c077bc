/** Subprotocol of KubeVirt's streams: binary messages whose boundaries mean nothing. */
export const plainProtocol = 'plain.kubevirt.io'
