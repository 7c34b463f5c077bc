import { mountPoints } from './launcher-paths.ts'

/**
 * Changes to the directory that launcher and node agent share. In machine mode a kubelet without
 * mounts names the pod's folder.
 */
export const changeDirectory: string = [
  'if [ -n "${POD_DIR-}" ]; then cd "$POD_DIR/volumes/kubernetes.io~empty-dir/private"',
  `else cd ${mountPoints.handover}; fi`,
].join('\n')

/** File by which the preStop hook says that the kubelet ends the launcher. */
export const stopFile = 'stop'

/**
 * The preStop hook of the launcher pod. It delays SIGTERM until QEMU has ended, so that a deleted
 * pod powers its guest off: the node agent presses the power button on the pod's deletion. The
 * kubelet limits the wait to the grace period. A launcher that has not become QEMU is not waited
 * for. The file tells the node agent of a launcher whose pod is not deleted: its liveness probe has
 * failed. When the container's process ends, the hook is killed at once, so the poll interval of
 * some seconds delays nothing and is cheap when fifty guests end together.
 */
export const preStopCommand: readonly string[] = [
  '/bin/sh',
  '-c',
  [
    changeDirectory,
    '[ -f launch.sh ] && read -r pid _ <process || exit 0',
    `: >${stopFile}`,
    'while kill -0 "$pid" 2>/dev/null; do sleep 2; done',
  ].join('\n'),
]
