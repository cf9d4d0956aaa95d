-- the functions on worker numbers, which have rights of their own
'^kid_((add|close|adopt|lease|forget)_worker|workers$)'
