# SPDX-License-Identifier: Apache-2.0
#
# All nodes of a job, as namespaces of this machine.
EXTRA_DIST += %D%/nodes.sh
SH_TESTS += %D%/hosts.test %D%/hostile.test %D%/bare.test %D%/pods.test %D%/ssh.test \
	%D%/streamed.test
