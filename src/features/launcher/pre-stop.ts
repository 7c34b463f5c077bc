/**
 * The launcher pod's preStop hook: waits until QEMU has gone, so that whoever deletes the pod, the
 * guest is powered off first. The node agent sees the deletion and presses the power button; the
 * kubelet ends the wait when the pod's grace period is over. A launcher that has not become QEMU is
 * not waited for. With the container's process its hooks end at once, whatever they wait for: the
 * look every few seconds is for nothing else than to be right by itself, and costs next to nothing
 * when fifty guests end together.
 */
export const preStopCommand: readonly string[] = [
  '/bin/sh',
  '-c',
  [
    'cd "$POD_DIR/volumes/kubernetes.io~empty-dir/private" && [ -f launch.sh ] && read -r pid _ <process || exit 0',
    'while kill -0 "$pid" 2>/dev/null; do sleep 2; done',
  ].join('\n'),
]
