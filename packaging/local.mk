# SPDX-License-Identifier: Apache-2.0
#
# What goes beside the program: completions for shells, made from what it says of its options; and
# wheel.py, which puts the one file (./quickstart static) into a wheel.
EXTRA_DIST += %D%/completion.awk %D%/completion.sh %D%/wheel.py
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = %D%/bash/inquest
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %D%/zsh/_inquest
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = %D%/fish/inquest.fish
COMPLETE = AWK='$(AWK)' sh $(srcdir)/%D%/completion.sh ./inquest
$(bashcompletion_DATA): inquest %D%/completion.awk %D%/completion.sh
	$(AM_V_GEN)$(MKDIR_P) %D%/bash && $(COMPLETE) bash >$@-t && mv $@-t $@
$(zshcompletion_DATA): inquest %D%/completion.awk %D%/completion.sh
	$(AM_V_GEN)$(MKDIR_P) %D%/zsh && $(COMPLETE) zsh >$@-t && mv $@-t $@
$(fishcompletion_DATA): inquest %D%/completion.awk %D%/completion.sh
	$(AM_V_GEN)$(MKDIR_P) %D%/fish && $(COMPLETE) fish >$@-t && mv $@-t $@
CLEANFILES += $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
