#include "model/stage.h"

const char *const stage_names[STAGE_N] = {
	[STAGE_CONNECT_WAIT] = "connect-wait",
	[STAGE_HANDSHAKE] = "handshake",
	[STAGE_COMP_QUEUE] = "completion-queue",
	[STAGE_ACCEPTED] = "accepted",
	[STAGE_SERVICE] = "service",
	[STAGE_TRANSMIT] = "transmit",
	[STAGE_CLIENT] = "client",
};
